package extract_test

import (
	"strings"
	"testing"

	"github.com/quorate/quorate/agents/webfetch/extract"
)

func TestCodeStaysWithItsText(t *testing.T) {
	t.Parallel()
	const code = "apt install quorum"
	for name, test := range map[string]struct {
		body string
		kept bool
	}{
		"short code":                  {"<pre><code>" + code + "</code></pre><p>" + sentence + "</p>", true},
		"each line an anchor":         {`<div class="highlight"><pre><span></span><code><a id="l-1" name="l-1" href="#l-1"></a>` + code + "\n" + `<a id="l-2" name="l-2" href="#l-2"></a>exit</code></pre></div><p>` + sentence + "</p>", true},
		"the first one of two":        {`<div class="blocks"><div><span>sh</span><pre><code>` + code + `</code></pre></div><div><span>sh</span><pre><code>yarn add quorum</code></pre></div></div><p>` + sentence + "</p>", true},
		"behind the last paragraph":   {`<div class="tabs"><pre><a href="#1"></a>` + code + `</pre></div>`, true},
		"a name between columns":      {strings.Repeat(`<div class="grid"><div><code>int</code></div><div><code><a href="#m">`+code+`</a>()</code></div><div>`+sentence+`</div></div>`, 2), true},
		"a name before its type":      {strings.Repeat(`<div class="param"><code>`+code+`</code> <span class="type">string</span><p>`+sentence+`</p></div>`, 2), true},
		"code of something else":      {`<p>` + sentence + `</p><nav><pre>` + code + `</pre></nav>`, false},
		"code far behind the content": {`</div></article><div><div>Sign up</div><pre>` + code + `</pre>`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := read(t, "text/html", story("", test.body), extract.Options{}).Text; strings.Contains(got, code) != test.kept {
				t.Errorf("Extract() = %s\nwant that %q is kept: %t", got, code, test.kept)
			}
		})
	}
}
