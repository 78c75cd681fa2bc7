package webfetch

import (
	"errors"
	"regexp"
	"strings"

	"golang.org/x/text/language"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/fault/rpcfault"
)

// Languages of messages.
const (
	english  = "en"
	japanese = "ja"
)

// truncationMarks are appended to truncated content where the answer is plain text only.
var truncationMarks = map[string]string{english: "\n\n... [truncated]", japanese: "\n\n... [以下省略]"}

var languages = language.NewMatcher([]language.Tag{language.English, language.Japanese})

// pickLanguage returns the language for messages, given an Accept-Language header or a locale such as ja_JP. If it asks for neither English nor
// Japanese, the result is fallback.
func pickLanguage(accept, fallback string) string {
	const longest = 256
	if accept == "" || len(accept) > longest {
		return fallback
	}
	tags, _, err := language.ParseAcceptLanguage(strings.ReplaceAll(accept, "_", "-"))
	if err != nil || len(tags) == 0 {
		return fallback
	}
	_, i, confidence := languages.Match(tags...)
	if confidence < language.High {
		return fallback
	}
	return []string{english, japanese}[i]
}

// Phrases of document 003, which readers of its messages know.
const (
	jaInvalidURL = "無効なURLです。http:// または https:// で始まるURLを指定してください"
	jaTimeout    = "ページの取得がタイムアウトしました"
	jaFailed     = "ページを取得できませんでした"
)

// japaneseMessages has a text for every code. Words in braces are replaced by the fault's metadata.
var japaneseMessages = map[Code]string{
	CodeInvalidArgument: "リクエストの指定が正しくありません: {field}",
	CodeInvalidURL:      jaInvalidURL,
	CodeScheme:          jaInvalidURL,
	CodeDomain:          "{domain} は許可されていないドメインです。管理者に許可リストへの追加を依頼してください",
	CodePort:            "このポートにはアクセスできません: {url}",
	CodeSSRF:            "プライベートIPアクセス拒否: このアドレスにはアクセスできません: {url}",
	CodeRedirects:       "リダイレクトが多すぎます（最大{limit}回）: {url}",
	CodeDNS:             "ホスト名を解決できませんでした: {url}",
	CodeTLS:             "証明書を検証できませんでした: {url}",
	CodeNetwork:         jaFailed + "（ネットワークエラー）: {url}",
	CodeRead:            jaFailed + "（応答が途中で切れました）: {url}",
	CodeRequest:         "リクエストを作成できませんでした。ヘッダーを確認してください: {url}",
	CodeTimeout:         jaTimeout + ": {url}",
	CodeCanceled:        "ページの取得が中止されました",
	CodeStatus:          jaFailed + "（HTTPエラー {status_code}）: {url}",
	CodeTooLarge:        "ページが大きすぎます（上限 {limit} バイト）: {url}",
	CodeDecompression:   "圧縮された応答を展開できませんでした: {url}",
	CodeContentType:     "対応していないコンテンツ形式です: {url}",
	CodeParsing:         "ページの内容を解析できませんでした: {url}",
	CodeSelector:        "セレクターが正しくありません",
	CodeNoMatch:         "セレクターに一致する内容がありません: {url}",
	CodeContentChanged:  "ページの内容が変わりました。最初から取得し直してください: {url}",
	CodeRobots:          "robots.txt により取得が禁止されています: {url}",
	CodeRateLimited:     "このサイトへのアクセスが多すぎます。しばらく待ってからやり直してください: {url}",
	CodeAuth:            "認証情報を利用できません: {url}",
	CodeRender:          "ブラウザーでページを表示できませんでした: {url}",
	CodeBackend:         jaFailed + "（変換サービスのエラー）: {url}",
	CodeDisabled:        "ページの取得は無効になっています",
	CodeInternal:        "内部エラーが発生しました",
}

// Texts of the profiles. A profile uses the default texts for codes that are missing here.
var (
	// The end states in the state diagram of document 000, each with what to do.
	slackMessages = map[Code]string{
		CodeInvalidURL:    "URLスキームエラー: http:// または https:// で始まるURLを指定してください",
		CodeScheme:        "URLスキームエラー: http:// または https:// で始まるURLを指定してください",
		CodeSSRF:          "プライベートIPアクセス拒否: このURLにはアクセスできません",
		CodePort:          "プライベートIPアクセス拒否: このURLにはアクセスできません",
		CodeTimeout:       "タイムアウト: {timeout}以内にページを取得できませんでした",
		CodeStatus:        "HTTPエラー: ステータスコード {status_code}",
		CodeDNS:           "ネットワークエラー: ホスト名を解決できませんでした",
		CodeTLS:           "ネットワークエラー: 証明書を検証できませんでした",
		CodeNetwork:       "ネットワークエラー: ページを取得できませんでした",
		CodeRead:          "ネットワークエラー: 応答が途中で切れました",
		CodeDecompression: "ネットワークエラー: 応答を展開できませんでした",
		CodeRedirects:     "ネットワークエラー: リダイレクトが多すぎます",
	}
	adkMessages = map[Code]string{
		CodeInvalidURL: "Invalid URL: {detail}",
		CodeScheme:     "Invalid URL: {detail}",
		CodeRequest:    "Failed to create request: {detail}",
		CodeTimeout:    "Request timeout",
		CodeNetwork:    "Failed to fetch: {detail}",
		CodeDNS:        "Failed to fetch: {detail}",
		CodeTLS:        "Failed to fetch: {detail}",
		CodeRedirects:  "Failed to fetch: {detail}",
		CodeSSRF:       "Failed to fetch: {detail}",
		CodePort:       "Failed to fetch: {detail}",
		CodeStatus:     "HTTP error {status_code}",
		CodeTooLarge:   "Response too large: {size} > {limit} bytes",
		CodeRead:       "Failed to read response: {detail}",
	}
	gladosMessages = map[Code]string{
		CodeStatus: "{status_code} {status_text}",
		CodeDomain: "Domain not allowed: {domain}. Ask the user, or add it with web-fetch.add-domain before fetching.",
	}
	myaoMessages = map[Code]string{
		CodeInvalidURL: jaInvalidURL, CodeScheme: jaInvalidURL, CodeTimeout: jaTimeout,
		CodeStatus: jaFailed, CodeBackend: jaFailed, CodeNetwork: jaFailed, CodeDNS: jaFailed, CodeTLS: jaFailed, CodeRead: jaFailed, CodeTooLarge: jaFailed,
	}
)

// adkCodes maps the codes of this package to the coarser ones of document 001.
var adkCodes = map[Code]Code{
	CodeScheme: CodeInvalidURL, CodeDNS: CodeNetwork, CodeTLS: CodeNetwork, CodeRedirects: CodeNetwork, CodeDecompression: CodeRead,
}

var placeholder = regexp.MustCompile(`\{[a-z_]+\}`)

// explain returns how to report err: with the message in the language and the profile's code, and as an error with that message.
func explain(err error, p Profile, lang string) (Failure, error) {
	code, known := CodeOf(err), fault.From(err)
	template := ""
	if lang == japanese {
		template = japaneseMessages[code]
	}
	if own, ok := p.messages[code]; ok && lang == p.Language {
		template = own
	}
	text := known.Message
	if code == CodeCanceled {
		text = "the fetch was canceled"
	}
	if template != "" {
		text = fill(template, known)
	}
	if narrower, ok := adkCodes[code]; ok && p.Name == ProfileADK {
		code = narrower
	}
	if original, ok := errors.AsType[*fault.Error](err); ok {
		localised := *original
		localised.Message = text
		err = &localised
	}
	return Failure{text, code, known.Reason, rpcfault.CodeName(known.Kind)}, err
}

// fill replaces the words in braces by the metadata of err.
func fill(template string, err *fault.Error) string {
	text := placeholder.ReplaceAllStringFunc(template, func(word string) string {
		name := strings.Trim(word, "{}")
		switch {
		case name == "detail":
			return detail(err)
		case name == "field" && len(err.Violations) > 0:
			return err.Violations[0].Field
		}
		return err.Metadata[name]
	})
	return strings.TrimRight(text, ": ")
}
