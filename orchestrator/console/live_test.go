package console_test

import (
	"strings"
	"testing"
)

// asked makes a task whose agent has a question, and opens it.
func (q quorate) asked(t *testing.T) (id string, b *tab) {
	t.Helper()
	q.addAsker(t)
	id = q.post(t, "/v1/tasks", map[string]any{"message": words("an order"), "route": map[string]any{"agent": "asker"}})
	b = open(t, q.HTTP+"/#/tasks/"+id, 1280, 800)
	b.signIn(q.token)
	b.sees("▲ input required", "Which one?")
	return id, b
}

func words(text string) map[string]any {
	return map[string]any{"parts": []any{map[string]any{"text": text}}}
}

// TestATaskIsReadAgainUntilItIsRead has each reading of a task fail until its last event has come: nothing else would have it read again.
func TestATaskIsReadAgainUntilItIsRead(t *testing.T) {
	q := start(t, t.TempDir())
	id, b := q.asked(t)
	eval[bool](b, `((url, usual) => {
		window.fetch = (to, options) => (to === url && window.cut ? Promise.reject(new TypeError("cut")) : usual(to, options));
		return (window.cut = true);
	})(%s, window.fetch)`, "/v1/tasks/"+id)
	q.post(t, "/v1/tasks/"+id+":reply", map[string]any{"message": words("the red one")})
	b.sees("the task is completed", "The connection is lost, so this may be old.", "input required")
	eval[bool](b, `(window.cut = false, true)`)
	b.sees("● completed", "ordered: the red one")
	b.until("say no more that it is old", `!document.body.innerText.includes("may be old")`)
	b.nothingWrong()
}

// TestATaskIsNotReadFasterThanTheServerAnswers has events come while a reading of the task goes unanswered.
func TestATaskIsNotReadFasterThanTheServerAnswers(t *testing.T) {
	q := start(t, t.TempDir())
	id, b := q.asked(t)
	eval[bool](b, `((url, usual) => {
		window.readings = [];
		const counted = (to, options) => new Promise((resolve) => readings.push(() => resolve(usual(to, options))));
		const events = new ReadableStream({ start: (stream) => {
			const encoder = new TextEncoder();
			window.tell = (sequence) => (stream.enqueue(encoder.encode('data: {"event":{"detail":"event ' + sequence + '","state":"TASK_STATE_WORKING"}}\n\n')), true);
		} });
		window.fetch = (to, options) => to === url && !options.signal.aborted ? counted(to, options) : to.startsWith(url + ":watch") ? Promise.resolve(new Response(events)) : usual(to, options);
		dispatchEvent(new Event("hashchange"));
		return true;
	})(%s, window.fetch)`, "/v1/tasks/"+id)
	b.until("read the task", "readings.length === 1")
	eval[bool](b, `(readings.pop()(), true)`)
	b.until("follow it", `document.querySelector("ol").children.length === 0`)
	for i, event := range []string{"1", "2", "3"} {
		eval[bool](b, "tell(%s)", event)
		b.sees("event " + event)
		eval[bool](b, `(setTimeout(() => (window.later = %s), 300), true)`, event)
		b.until("wait", "window.later === %s", event)
		if n := eval[int](b, "readings.length"); n != 1 {
			t.Fatalf("after %d events %d readings are under way, want 1", i+1, n)
		}
	}
	eval[bool](b, `(readings.pop()(), true)`)
	b.until("read it once for the other two", "readings.length === 1")
	if strings.Contains(b.text(), "quorate tasks watch") {
		t.Error("of three events the page says that it has not all of them")
	}
	eval[bool](b, `((own) => {
		window.measured = 0;
		Object.defineProperty(Element.prototype, "scrollHeight", { get() { return measured++, own.call(this); } });
		return Array.from({ length: 500 }, (_, i) => tell(i + 4)).every(Boolean);
	})(Object.getOwnPropertyDescriptor(Element.prototype, "scrollHeight").get)`)
	b.sees("event 503", "The newest 500. All of them: quorate tasks watch "+id)
	if n := eval[int](b, "measured"); n > 10 { // each time the browser lays out the whole page, in milliseconds
		t.Errorf("500 events that came together were measured %d times, want a few", n)
	}
	const below = `((log) => log.scrollHeight - log.scrollTop - log.clientHeight)(document.querySelector("ol"))`
	if n := eval[int](b, below); n > 1 {
		t.Errorf("the newest event is %d pixels below what is seen of the events", n)
	}
	eval[bool](b, `(document.querySelector("ol").scrollTop = 100, tell(504))`)
	b.sees("event 504")
	if n := eval[int](b, below); n < 100 {
		t.Error("who reads earlier events is taken to the newest")
	}
}

// mute has calls whose address begins so go unanswered, and streams open and say nothing. A minute passes when minute is called.
const mute = `((begin, later, usual) => {
	const waiting = [];
	window.muted = 0;
	window.minute = () => (waiting.forEach((act) => act()), true);
	window.setTimeout = (act, milliseconds) => (milliseconds < 60000 || waiting.push(act), later(act, milliseconds));
	window.fetch = (to, options) => to.startsWith(begin) ? new Promise((resolve, reject) => {
		muted++;
		if (to.includes(":watch")) resolve(new Response(new ReadableStream({ start: (stream) => options.signal.addEventListener("abort", () => stream.error(options.signal.reason)) })));
		else options.signal.addEventListener("abort", () => reject(options.signal.reason));
	}) : usual(to, options);
	dispatchEvent(new Event("hashchange"));
	return true;
})(%s, window.setTimeout, window.fetch)`

// TestAServerThatSaysNothingIsSaid has connections that last and on which nothing comes, as from a process that is stopped or behind a router that forgot.
func TestAServerThatSaysNothingIsSaid(t *testing.T) {
	q := start(t, t.TempDir())
	b := open(t, q.HTTP, 1280, 800)
	b.signIn(q.token)
	task := q.post(t, "/v1/tasks", map[string]any{
		"message": map[string]any{"parts": []any{map[string]any{"text": "Fetch " + q.DemoSite + "/notes"}}},
		"route":   map[string]any{"skill": "fetch_url"}, "attributes": map[string]any{"handling_sensitive_data": true},
	})
	for _, test := range []struct{ place, begin, sees string }{
		{"agents", "/v1/agents:watch", "The connection is lost, so this may be old."},
		{"tasks/" + task, "/v1/tasks/" + task + ":watch", "The connection is lost, so this may be old."},
		{"tasks", "/v1/tasks", "The server gives no answer."},
		{"health", "/readyz", "The server gives no answer."},
	} {
		b.goes(test.place)
		eval[bool](b, mute, test.begin)
		b.until("ask", "muted > 0")
		eval[bool](b, "minute()")
		b.sees(test.sees)
		if above := eval[bool](b, `document.querySelector("main").innerText.indexOf(%s) < 200`, test.sees); !above {
			t.Errorf("at %s %q is below what may be old", test.place, test.sees)
		}
	}
	b.nothingWrong()
}

// TestATabThatComesAndGoesFollowsAtOnce hides a tab and shows it again, as who looks at another one now and then does.
func TestATabThatComesAndGoesFollowsAtOnce(t *testing.T) {
	q := start(t, t.TempDir())
	b := open(t, q.HTTP, 1280, 800)
	b.signIn(q.token)
	b.sees("web-fetch")
	eval[bool](b, `((later, usual) => {
		window.streams = 0;
		window.pauses = [];
		window.setTimeout = (act, milliseconds) => (pauses.push(milliseconds), later(act, milliseconds < 60000 ? milliseconds / 10 : milliseconds));
		window.fetch = (to, options) => {
			if (!to.includes(":watch")) return usual(to, options);
			streams++;
			return Promise.resolve(new Response(new ReadableStream({ start: (stream) => options.signal.addEventListener("abort", () => stream.error(options.signal.reason)) })));
		};
		Object.defineProperty(document, "hidden", { get: () => window.away });
		window.looks = (away) => ((window.away = away), document.dispatchEvent(new Event("visibilitychange")));
		dispatchEvent(new Event("hashchange"));
		return true;
	})(window.setTimeout, window.fetch)`)
	for _, n := range []string{"1", "2", "3", "4", "5"} {
		b.until("follow", "String(streams) === %s", n)
		eval[bool](b, "looks(true)")
		eval[bool](b, "looks(false)")
	}
	if longest := eval[int](b, "Math.max(0, ...pauses.filter((p) => p < 60000))"); longest > 1000 {
		t.Errorf("the tab paused for %d ms before it followed again, want 1000 at most", longest)
	}
	b.nothingWrong()
}
