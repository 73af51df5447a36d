/* <refund-button order="1001" token="..." lang="en"></refund-button>
   Shows how the order's refunds stand and opens Refundry in this tab. See docs/pages.md. */
(() => {
  if (customElements.get("refund-button")) return;
  const base = new URL(document.currentScript.src).origin;
  const style = new CSSStyleSheet();
  style.replaceSync(`
    :host { display: inline-block; font: inherit; }
    :host([hidden]) { display: none; }
    a { display: inline-block; padding: .6em 1.1em; border-radius: .4em; background: var(--refund-button-background, #2563c9);
        color: var(--refund-button-color, #fff); text-decoration: none; font-weight: 600; }
    a:focus-visible { outline: 3px solid currentColor; outline-offset: 2px; }
    p { margin: 0 0 .4em; }
    p:empty, a:not([href]) { display: none; }`);

  class RefundButton extends HTMLElement {
    static observedAttributes = ["order", "token", "lang"];
    #text = document.createElement("p");
    #link = document.createElement("a");
    #timer = 0;
    #asked = 0;
    #state = null;
    #missed = 0;

    constructor() {
      super();
      const root = this.attachShadow({ mode: "open" });
      root.adoptedStyleSheets = [style];
      this.#text.setAttribute("role", "status");
      root.append(this.#text, this.#link);
    }

    connectedCallback() { this.#lookIn(0); }
    disconnectedCallback() { clearTimeout(this.#timer); this.#asked++; }
    attributeChangedCallback(name, before, now) {
      if (name !== "lang" && before !== now) this.#state = null;
      if (this.isConnected) this.#lookIn(0);
    }

    /* Several attributes at once are one look. */
    #lookIn(seconds) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#look(), seconds * 1000);
    }

    async #look() {
      const asked = ++this.#asked;
      const token = encodeURIComponent(this.getAttribute("token") ?? "");
      const lang = this.getAttribute("lang") || this.closest("[lang]")?.lang || "";
      const state = token ? await this.#read(`${base}/r/${token}/state.json?lang=${encodeURIComponent(lang)}`) : null;
      if (asked !== this.#asked) return;
      if (state !== undefined) this.#state = state;
      this.#missed = state === undefined ? this.#missed + 1 : 0;
      this.#show(this.#state, lang);
      const again = this.#missed ? Math.min(60, 5 * 2 ** (this.#missed - 1)) : state?.poll_seconds;
      if (again) this.#lookIn(Math.max(5, again));
    }

    /* null: there is no such order; undefined: nobody can tell right now, so that what was told last still holds. */
    async #read(address) {
      try {
        const answer = await fetch(address, { credentials: "omit", referrerPolicy: "no-referrer" });
        if (answer.ok) return await answer.json();
        return answer.status === 404 ? null : undefined;
      } catch {
        return undefined;
      }
    }

    /* Without an answer, or about another order than the shop means, the order can still be looked up. */
    #show(state, lang) {
      const order = this.getAttribute("order");
      const mine = state && (!order || state.order === order) ? state : null;
      const target = new URL(mine ? mine.url : `${base}/r/`);
      if (lang) target.searchParams.set("lang", lang);
      if (mine) target.searchParams.set("return_url", location.href);
      this.#text.textContent = mine?.text ?? "";
      this.#link.textContent = mine?.action ?? (lang.startsWith("zh") ? "退款" : "Refund");
      this.#link.href = target.href;
      this.dataset.tone = mine?.tone ?? "unknown";
      this.dispatchEvent(new CustomEvent("refund-state", { detail: mine, bubbles: true, composed: true }));
    }
  }

  customElements.define("refund-button", RefundButton);
})();
