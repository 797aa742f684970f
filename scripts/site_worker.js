// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The site's search is a worker, which browsers refuse to a page that is a file. There it runs in a frame instead.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      const inside = frame.contentWindow;
      const load = (source) => new Promise((resolve, reject) => {
        const script = inside.document.createElement("script");
        Object.assign(script, {src: source, onload: resolve, onerror: reject});
        inside.document.body.append(script);
      });
      inside.importScripts = async (...sources) => {
        for (const source of sources) await load(source);
      };
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", {data}));
      const loaded = load(new URL(url, location.href).href);
      this.postMessage = (data) => loaded.then(() => inside.dispatchEvent(new MessageEvent("message", {data})));
    }
  };
}
