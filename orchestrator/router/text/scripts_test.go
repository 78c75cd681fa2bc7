package text_test

import (
	"testing"

	"github.com/quorate/quorate/orchestrator/router/text"
)

// TestTextsInAnyScriptFindTheirSkill has scripts that put no spaces between words, and such whose vowels are marks.
func TestTextsInAnyScriptFindTheirSkill(t *testing.T) {
	t.Parallel()
	x := text.New([]text.Skill{
		{Agent: "tianqi", ID: "weather_zh", Name: "查询天气", Description: "查询一个城市的天气预报"},
		{Agent: "fanyi", ID: "translate_zh", Name: "翻译文本", Description: "把文本翻译成另一种语言"},
		{Agent: "tenki", ID: "weather_ja", Name: "天気予報", Description: "都市の天気予報を調べます"},
		{Agent: "deta", ID: "analyze_ja", Name: "データ分析", Description: "CSVデータを分析します"},
		{Agent: "cha", ID: "order_zh", Name: "茶"},
		{Agent: "shutsu", ID: "export_ja", Name: "PDF出力"},
		{Agent: "akat", ID: "weather_th", Name: "พยากรณ์อากาศ", Description: "บอกสภาพอากาศของเมือง"},
		{Agent: "mausam", ID: "weather_hi", Name: "मौसम पूर्वानुमान", Description: "शहर का मौसम बताता है"},
		{Agent: "taqs", ID: "weather_ar", Name: "حالة الطقس", Description: "يخبر عن حالة الطقس في المدينة"},
		{Agent: "wetter", ID: "weather_de", Name: "Wetterbericht", Description: "Sagt, wie das Wetter wird"},
	}, text.Options{})
	for query, want := range map[string]string{
		"请查询北京明天的天气":      "tianqi/weather_zh",
		"帮我翻译这个文本":        "fanyi/translate_zh",
		"東京の天気予報を教えてください": "tenki/weather_ja",
		"このデータを分析してください":  "deta/analyze_ja",
		"sales.csvデータを分析": "deta/analyze_ja",
		"茶":               "cha/order_zh",
		"pdf":             "shutsu/export_ja",
		"PDFを出力してください":    "shutsu/export_ja",
		"ｐｄｆ":             "shutsu/export_ja",
		"ＷＥＴＴＥＲＢＥＲＩＣＨＴ":   "wetter/weather_de",
		"พยากรณ์อากาศวันพรุ่งนี้": "akat/weather_th",
		"दिल्ली का मौसम बताओ":     "mausam/weather_hi",
		"ما هي حالة الطقس اليوم":  "taqs/weather_ar",
		"WETTERBERICHT für Köln":  "wetter/weather_de",
		"写一首关于春天的诗":               "refused",
		"मुझे एक गाना सुनाओ":      "refused",
		"🍰🎂🎉": "refused",
	} {
		if got := first(x, query); got != want {
			t.Errorf("Search(%q) = %s (%+v), want %s", query, got, x.Search(query, 2), want)
		}
	}
}
