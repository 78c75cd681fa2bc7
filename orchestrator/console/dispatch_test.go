package console_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWhereATaskWouldGo asks in each of the four ways, and in ways that lead nowhere.
func TestWhereATaskWouldGo(t *testing.T) {
	q := start(t, t.TempDir())
	b := open(t, q.HTTP+"/#/dispatch", 1280, 800)
	b.signIn(q.token)
	for _, test := range []struct {
		name   string
		fields [][2]string
		sees   []string
	}{
		{"by agent", [][2]string{{"Route", "agent"}, {"Agent", "web-fetch"}}, []string{"Chosen: web-fetch", "named by the caller"}},
		{"by an agent that is not there", [][2]string{{"Agent", "nobody"}}, []string{`Refused: no agent is named "nobody"`}},
		{"by skill", [][2]string{{"Route", "skill"}, {"Skill", "fetch_url"}}, []string{"Chosen: web-fetch for its skill fetch_url"}},
		{"by skill, to two", [][2]string{{"Fan-out", "2"}}, []string{"Refused: "}},
		{"by contract", [][2]string{{"Route", "contract"}, {"Fan-out", ""}, {"What is there", "url:reference"}, {"What is wanted", "page:document"}}, []string{"Chosen: web-fetch"}},
		{"by a contract that nobody fulfils", [][2]string{{"What is wanted", "artifact"}}, []string{"Refused: ", "OUTPUT_MISSING"}},
		{"by text", [][2]string{{"Route", "text"}, {"Message", "Fetch " + q.DemoSite + "/article"}}, []string{"Chosen: web-fetch for its skill", "TEXT_NOT_ALIKE"}},
		{"by a text that nobody does", [][2]string{{"Message", "bake a cake"}}, []string{"Refused: "}},
		{"by a message that breaks a rule", [][2]string{{"Route", "agent"}, {"Agent", "web-fetch"}, {"Inputs", "url"}}, []string{"write key=value"}},
		{"with an attribute twice", [][2]string{{"Inputs", ""}, {"Attributes", "a = 1\na=2"}}, []string{"“a” occurs twice"}},
		{"with a number that is too large", [][2]string{{"Attributes", `n=[1, -1e400]`}}, []string{`-1e400 has more digits than are kept. To send it as a text, put it in quotes: "-1e400"`}},
		{"with a number in a list that is too long", [][2]string{{"Attributes", "n=[1, 9007199254740993]"}}, []string{"The number 9007199254740993 has more digits than are kept"}},
		{"with a number that is too long", [][2]string{{"Attributes", "n=9007199254740993"}}, []string{"9007199254740993 has more digits than are kept"}},
	} {
		for _, f := range test.fields {
			b.fills(f[0], f[1])
		}
		eval[bool](b, `(document.querySelector(".answer").replaceChildren(), true)`)
		b.clicks("Where would it go?")
		b.sees(test.sees...)
		b.shot(test.name)
	}
	b.nothingWrong()
}

// TestAnAnswerIsScrolledIntoSight presses a button at the lower edge of the window, behind which the answer comes.
func TestAnAnswerIsScrolledIntoSight(t *testing.T) {
	q := start(t, t.TempDir())
	b := open(t, q.HTTP+"/#/dispatch", 1280, 500)
	b.signIn(q.token)
	b.fills("Agent", "web-fetch")
	eval[bool](b, `(document.querySelector("form button").scrollIntoView({ block: "end" }), true)`)
	b.clicks("Dispatch")
	b.sees("Say in the message what to do.")
	b.until("have the answer in sight", `Math.floor(document.querySelector(".answer").getBoundingClientRect().bottom) <= innerHeight`)
	b.nothingWrong()
}

// TestSpacesAroundAnAttributeDoNotOpenAGate has an attribute written as people write it, which a rule of the agent is about.
func TestSpacesAroundAnAttributeDoNotOpenAGate(t *testing.T) {
	q := start(t, t.TempDir())
	b := open(t, q.HTTP+"/#/dispatch", 1280, 800)
	b.signIn(q.token)
	b.fills("Agent", "web-fetch")
	b.fills("Message", "Fetch "+q.DemoSite+"/article")
	b.fills("Attributes", "handling_sensitive_data = true\nwhy = a test")
	b.clicks("Dispatch")
	b.sees("✕ blocked", `handling_sensitive_data=true`, `why="a test"`)
	b.nothingWrong()
}

// TestATaskWhoseAnswerIsLostIsDispatchedOnce has the connection break when the task is there, and the server be too busy to look at the next attempt.
func TestATaskWhoseAnswerIsLostIsDispatchedOnce(t *testing.T) {
	q := start(t, t.TempDir())
	b := open(t, q.HTTP+"/#/dispatch", 1280, 800)
	b.signIn(q.token)
	b.fills("Agent", "web-fetch")
	b.fills("Message", "Fetch "+q.DemoSite+"/article")
	eval[bool](b, `((usual) => {
		const answers = [
			(answer) => answer.then(() => Promise.reject(new TypeError("cut"))),
			() => Promise.resolve(Response.json({ message: "too many calls" }, { status: 429 })),
		];
		window.fetch = (to, options) => {
			if (options.method !== "POST" || answers.length === 0) return usual(to, options);
			const next = answers.shift();
			return next(answers.length === 1 ? usual(to, options) : undefined);
		};
		return true;
	})(window.fetch)`)
	for _, sees := range []string{"The server cannot be reached: cut.", "too many calls"} {
		b.clicks("Dispatch")
		b.sees(sees)
	}
	b.clicks("Dispatch")
	b.until("show the task", `location.hash.startsWith("#/tasks/")`)
	b.goes("tasks")
	if n := eval[int](b, `document.querySelectorAll("tbody tr").length`); n != 1 {
		t.Errorf("there are %d tasks, want 1", n)
	}
	b.nothingWrong()
}

// TestWhatIsWrongStandsBesideItsField has mistakes that the console finds and those that the server does. A card's are beside the field that it came from.
func TestWhatIsWrongStandsBesideItsField(t *testing.T) {
	q := start(t, t.TempDir())
	b := open(t, q.HTTP, 1280, 800)
	b.signIn(q.token)
	beside := func(want map[string]string) {
		t.Helper()
		got := eval[map[string]string](b, `Object.fromEntries([...document.querySelectorAll("[aria-invalid=true]")].map((control) =>
			[control.name, [...control.closest("label").querySelectorAll(".wrong")].map((said) => said.innerText).join("; ")]))`)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("what is said beside fields differs (-want +got):\n%s", diff)
		}
	}
	b.goes("dispatch")
	b.fills("Agent", "web-fetch")
	b.clicks("Dispatch")
	b.sees("Say in the message what to do.")
	beside(map[string]string{"text": "Say in the message what to do."})
	b.fills("Message", "Fetch http://127.0.0.1:9099/article")
	b.fills("Attributes", "a=1\na=2")
	b.clicks("Dispatch")
	b.sees("“a” occurs twice.")
	beside(map[string]string{"attributes": "“a” occurs twice."})
	b.goes("dispatch?by=skill")
	b.fills("Skill", "fetch_url")
	b.fills("Fan-out", "most")
	b.fills("Message", "Fetch http://127.0.0.1:9099/article")
	b.clicks("Dispatch")
	b.sees("must be one of all, any, k_of_n")
	beside(map[string]string{"fanOut": "route.fan_out.mode must be one of all, any, k_of_n"})
	b.goes("register")
	b.clicks("Register")
	beside(map[string]string{"cardUri": "Give either the URL of the card or the card.", "cardJson": "Give either the URL of the card or the card."})
	b.fills("or the card", "{")
	b.clicks("Register")
	b.sees("it ends too early")
	beside(map[string]string{"cardJson": "the card is not valid JSON, line 1:1: it ends too early"})
	b.nothingWrong()
}
