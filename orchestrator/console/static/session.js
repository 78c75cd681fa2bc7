// The key that the user typed.
//
// It is kept in sessionStorage: a reload does not ask for it again, another site never sees it, and it is gone with the tab. A tab of the console
// that is opened beside gets it from the others, and a sign-out is for all of them. It leaves the page in the header Authorization only; there is
// no cookie that another page could make the browser send.

const KEY = "quorate.key";
const patience = 200; // milliseconds that another tab has to answer

const tabs = new BroadcastChannel("quorate");

export const key = () => sessionStorage.getItem(KEY);
export const keepKey = (value) => sessionStorage.setItem(KEY, value);

/** forgetKey signs this tab out. */
export const forgetKey = () => sessionStorage.removeItem(KEY);

/** signOut signs all tabs out. */
export function signOut() {
  forgetKey();
  tabs.postMessage({ signOut: true });
}

/** askOtherTabs gets the key from another tab, if there is one that has it. */
export function askOtherTabs() {
  return new Promise((resolve) => {
    setTimeout(resolve, patience);
    tabs.addEventListener("message", ({ data }) => {
      if (data.key && !key()) keepKey(data.key);
      if (key()) resolve();
    });
    tabs.postMessage({ ask: true });
  });
}

/** onSignOut calls act when another tab signs out. */
export function onSignOut(act) {
  tabs.addEventListener("message", ({ data }) => {
    if (!data.signOut || !key()) return;
    forgetKey();
    act();
  });
}

tabs.addEventListener("message", ({ data }) => data.ask && key() && tabs.postMessage({ key: key() }));
