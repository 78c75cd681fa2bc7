package console_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/quorate/quorate/agents/kit"
	"github.com/quorate/quorate/agents/kit/kittest"
)

// addAsker serves an agent that asks which one before it delivers, and registers it.
func (q quorate) addAsker(t *testing.T) {
	t.Helper()
	a := kittest.Start(t, kit.Config{
		Name: "asker", Description: "Asks before it delivers.", Version: "1.0.0",
		Skills: []kit.Skill{{ID: "order", Name: "Order", Description: "Takes an order.", Tags: []string{"test"}}},
		Handler: func(ctx context.Context, task *kit.Task) error {
			reply, err := task.Ask(ctx, a2a.NewTextPart("Which one? "+markup))
			if err != nil {
				return err
			}
			return task.AddArtifact(ctx, kit.Artifact{Name: markup, Text: "ordered: " + reply.Parts[0].Text()})
		},
	})
	q.post(t, "/v1/agents:register", map[string]any{"cardUri": a.CardURL()})
}

// TestAnAgentsQuestionIsAnswered answers an agent that asks, itself and as a step of a plan, in words that are markup on both sides.
func TestAnAgentsQuestionIsAnswered(t *testing.T) {
	q := start(t, t.TempDir())
	q.addAsker(t)
	b := open(t, q.HTTP+"/#/dispatch?by=skill&skill=order", 1280, 800)
	b.signIn(q.token)
	for fanOut, sees := range map[string]string{"": "Attempts", "any": "Plan"} {
		b.fills("Fan-out", fanOut)
		b.fills("Message", "an order")
		b.clicks("Dispatch")
		b.sees("▲ input required", "The agent waits for an answer:", "Which one? "+markup)
		if !eval[bool](b, `document.querySelector(".reply").getBoundingClientRect().top >= document.querySelector(".buttons > .action").getBoundingClientRect().bottom`) {
			t.Error("the question stands beside the button that cancels the task, want it below")
		}
		b.fills("Answer", "the red one "+markup)
		b.clicks("Send")
		b.sees("● completed", "Turns", "ordered: the red one "+markup, sees)
		b.nothingWrong()
		b.shot("conversation" + fanOut)
		b.goes("dispatch?by=skill&skill=order")
	}
}

// TestOfManyArtifactsThoseInSightAreLaidOut opens a task with artifacts of 3 MB, which take a browser seconds to lay out.
func TestOfManyArtifactsThoseInSightAreLaidOut(t *testing.T) {
	q := start(t, t.TempDir())
	a := kittest.Start(t, kit.Config{
		Name: "author", Description: "Writes chapters.", Version: "1.0.0",
		Skills: []kit.Skill{{ID: "write", Name: "Write", Description: "Writes.", Tags: []string{"test"}}},
		Handler: func(ctx context.Context, task *kit.Task) error {
			for i := range 70 {
				if err := task.AddArtifact(ctx, kit.Artifact{Name: fmt.Sprintf("chapter %d", i+1), Text: strings.Repeat("some words ", 4400)}); err != nil {
					return err
				}
			}
			return nil
		},
	})
	q.post(t, "/v1/agents:register", map[string]any{"cardUri": a.CardURL()})
	id := q.post(t, "/v1/tasks", map[string]any{"message": words("a book"), "route": map[string]any{"agent": "author"}})
	b := open(t, q.HTTP+"/#/tasks/"+id, 1280, 800)
	b.signIn(q.token)
	b.until("show all", `document.querySelectorAll("article").length === 70`)
	const laidOut = `[...document.querySelectorAll("article pre")].filter((e) => e.checkVisibility({ contentVisibilityAuto: true })).length`
	if n := eval[int](b, laidOut); n > 10 {
		t.Errorf("of 70 artifacts %d are laid out, want those in sight and near it", n)
	}
	eval[bool](b, `(document.querySelector("article:last-child").scrollIntoView(), true)`)
	b.until("lay out the last one", `document.querySelector("article:last-child pre").checkVisibility({ contentVisibilityAuto: true })`)
	b.sees("chapter 70")
	b.nothingWrong()
}

// TestPiecesOfATextAreReadAsOne has an agent make a part of every piece that its model says, and a file between them.
func TestPiecesOfATextAreReadAsOne(t *testing.T) {
	q := start(t, t.TempDir())
	a := kittest.Start(t, kit.Config{
		Name: "streamer", Description: "Says it bit by bit.", Version: "1.0.0",
		Skills: []kit.Skill{{ID: "say", Name: "Say", Description: "Says.", Tags: []string{"test"}}},
		Handler: func(ctx context.Context, task *kit.Task) error {
			notes := a2a.NewTextPart("notes")
			notes.Filename = "notes.txt"
			said := []*a2a.Part{a2a.NewTextPart("Pi"), a2a.NewTextPart(" is 3"), a2a.NewTextPart("."), a2a.NewTextPart("14"), notes, a2a.NewTextPart("Bye")}
			return task.AddArtifact(ctx, kit.Artifact{Name: "answer", Parts: said})
		},
	})
	q.post(t, "/v1/agents:register", map[string]any{"cardUri": a.CardURL()})
	id := q.post(t, "/v1/tasks", map[string]any{"message": words("what is pi?"), "route": map[string]any{"agent": "streamer"}})
	b := open(t, q.HTTP+"/#/tasks/"+id, 1280, 800)
	b.signIn(q.token)
	b.sees("answer")
	want := "Pi is 3.14|notes|Bye"
	if got := eval[string](b, `[...document.querySelectorAll("article pre")].map((e) => e.textContent).join("|")`); got != want {
		t.Errorf("the artifact reads %q, want %q", got, want)
	}
}

// TestAFileHasItsSize has files whose base64 ends with two signs, with one and with none that stand for nothing.
func TestAFileHasItsSize(t *testing.T) {
	q := start(t, t.TempDir())
	var files []any
	for size := 10; size <= 12; size++ {
		files = append(files, map[string]any{"raw": make([]byte, size), "filename": "a.bin", "mediaType": "application/x-test"})
	}
	id := q.post(t, "/v1/tasks", map[string]any{"message": map[string]any{"parts": files}, "route": map[string]any{"agent": "reviewer"}})
	b := open(t, q.HTTP+"/#/tasks/"+id, 1280, 800)
	b.signIn(q.token)
	b.sees("10 bytes application/x-test", "11 bytes application/x-test", "12 bytes application/x-test")
	eval[bool](b, `(URL.createObjectURL = (blob) => (blob.arrayBuffer().then((all) => (window.saved = blob.type + " " + new Uint8Array(all).join(""))), "blob:x"),
		HTMLAnchorElement.prototype.click = function () { window.saves = this.download + " of " + this.href }, true)`)
	b.clicks("Save") // the last
	b.until("save the file", `window.saves === "a.bin of blob:x" && window.saved === "application/octet-stream 000000000000"`)
}
