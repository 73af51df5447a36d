/* <refund-button order="1001" token="..." lang="en"></refund-button>
   Shows how the order's refunds stand and opens Refundry in this tab. See docs/pages.md. */
(() => {
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

    constructor() {
      super();
      const root = this.attachShadow({ mode: "open" });
      root.adoptedStyleSheets = [style];
      this.#text.setAttribute("role", "status");
      root.append(this.#text, this.#link);
    }

    connectedCallback() { this.#lookIn(0); }
    disconnectedCallback() { clearTimeout(this.#timer); this.#asked++; }
    attributeChangedCallback() { if (this.isConnected) this.#lookIn(0); }

    /* Several attributes at once are one look. */
    #lookIn(seconds) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#look(), seconds * 1000);
    }

    async #look() {
      const asked = ++this.#asked;
      const token = encodeURIComponent(this.getAttribute("token") ?? "");
      const lang = this.getAttribute("lang") || this.closest("[lang]")?.lang || "";
      let state = null;
      if (token) state = await this.#read(`${base}/r/${token}/state.json?lang=${encodeURIComponent(lang)}`);
      if (asked !== this.#asked) return;
      this.#show(state, lang);
      if (state?.poll_seconds) this.#lookIn(Math.max(5, state.poll_seconds));
    }

    async #read(address) {
      try {
        const answer = await fetch(address, { credentials: "omit", referrerPolicy: "no-referrer" });
        return answer.ok ? await answer.json() : null;
      } catch {
        return null;
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
