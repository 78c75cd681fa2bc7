// The events of a task, as they come.

import { badge, code, h, section, when } from "./dom.js";
import { soon } from "./live.js";
import { stateOf } from "./tasks.js";

const shown = 500; // at most; the oldest go

/** eventLog makes a section to whose end add(event) adds. A task has had thousands when it is opened: those that come together are laid out once. */
export function eventLog(id, signal) {
  const log = h("ol", { class: "events", tabindex: "0", "aria-label": "Events" });
  const more = h("p", { class: "quiet", hidden: true }, `The newest ${shown}. All of them: `, code(`quorate tasks watch ${id}`));
  const waiting = [];
  const draw = soon(
    signal,
    () => {},
    async () => {
      const atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 30; // whoever reads what was before is left there
      log.append(...waiting.splice(0).map(line));
      for (; log.children.length > shown; more.hidden = false) log.firstChild.remove();
      if (atEnd) log.scrollTop = log.scrollHeight;
    },
  );
  const add = (event) => {
    waiting.push(event);
    if (waiting.length > shown) {
      waiting.shift();
      more.hidden = false;
    }
    draw();
  };
  return Object.assign(section("Events", more, log), { add });
}

const line = (event) => h("li", null, when(event.time), " ", code(event.type), " ", badge(stateOf(event)), " ", event.detail);
