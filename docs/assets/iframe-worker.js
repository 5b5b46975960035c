// Browsers start no workers for pages without a server (file://). There, the search runs in a hidden frame instead.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.srcdoc =
        "<script>postMessage = data => parent.postMessage({ ofSearch: data }, '*')<\/script>" +
        `<script src="${new URL(url, location.href).href}"><\/script>` +
        "<script>parent.postMessage({ isReady: true }, '*')<\/script>";
      this.frame = frame;
      this.isReady = new Promise(resolve => {
        addEventListener("message", ({ source, data }) => {
          if (source !== frame.contentWindow) return;
          if (data.isReady) resolve();
          else this.dispatchEvent(new MessageEvent("message", { data: data.ofSearch }));
        });
      });
      document.documentElement.append(frame);
    }
    postMessage(data) {
      this.isReady.then(() => this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data })));
    }
    terminate() {
      this.frame.remove();
    }
  };
}
