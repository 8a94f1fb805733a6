  // Foreign names keep their direction to themselves.
  const foreign = (text, style) => element("bdi", text, style);
  const link = (text, address) => {
    const made = element("a", text);
    made.href = address;
    made.rel = "noopener";
    return made;
  };
  const facts = (pairs) => {
    const list = element("dl");
    for (const [name, text] of pairs) {
      const row = element("div");
      const value = element("dd");
      value.append(foreign(text));
      row.append(element("dt", name), value);
      list.append(row);
    }
    return list;
  };

  // Parts: scripts of one call that are loaded when they are needed.
  const PART = /^data\/[A-Za-z0-9_-]+\.js$/;
  const checked = (address) => {
    if (!PART.test(address)) throw new Error(`${address} is no part of this page`);
    return address;
  };
  const policy = window.trustedTypes ? window.trustedTypes.createPolicy("parts", { createScriptURL: checked }) : { createScriptURL: checked };
  const waiting = new Map();
  const loaded = new Map();
  window.take = (name, content) => waiting.get(name)?.(content);
  const load = (name) => {
    if (loaded.has(name)) return loaded.get(name);
    const promise = new Promise((resolve, reject) => {
      const script = element("script");
      const missing = () => reject(new Error(`data/${name}.js is missing or damaged`));
      waiting.set(name, resolve);
      script.addEventListener("error", missing);
      script.addEventListener("load", () => {
        waiting.delete(name);
        script.remove();
        // Nothing happens where the part has come.
        missing();
      });
      script.src = policy.createScriptURL(`data/${name}.js`);
      document.head.append(script);
    });
    loaded.set(name, promise);
    promise.catch(() => loaded.delete(name));
    return promise;
  };
  const floats = (text) => {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    const view = new DataView(bytes.buffer);
    return Float32Array.from({ length: bytes.length / 4 }, (_, at) => view.getFloat32(4 * at, true));
  };

  // Numbers. A cell holds: value, low, high, n, missing, rank, first and last rank, why not.
  const VALUE = 0, LOW = 1, HIGH = 2, N = 3, MISSING = 4, RANK = 5, FROM = 6, TO = 7, WHY = 8;
  const printed = (value, digits) => {
    if (value === null || Number.isNaN(value)) return "–";
    const text = value.toFixed(digits);
    return Number(text) === 0 ? text.replace("-", "") : text;
  };
  const places = (cell) => (cell[FROM] === cell[TO] ? `rank ${cell[FROM]}` : `rank ${cell[FROM]}–${cell[TO]}`);
  const distance = (score, value) => {
    if (score.direction === "higher") return -value;
    if (score.direction !== "target") return value;
    if (score.target <= 0) return Math.abs(value - score.target);
    return value <= 0 ? Infinity : Math.abs(Math.log(value / score.target));
  };
  const arrow = (score) => ({ higher: "↑", lower: "↓", target: `→ ${score.target}`, none: "" })[score.direction];
  const count = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
