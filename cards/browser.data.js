  // Parts: scripts of one call that are loaded when they are needed.
  const PART = /^data\/[a-z]+(-\d+)*\.js$/;
  const checked = (address) => {
    if (!PART.test(address)) throw new Error(`${address} is no part of this page`);
    return address;
  };
  const policy = window.trustedTypes ? window.trustedTypes.createPolicy("parts", { createScriptURL: checked }) : { createScriptURL: checked };
  const waiting = new Map();
  const loaded = new Map();
  const KEPT = 60;
  window.take = (name, content) => {
    const promise = waiting.get(name);
    if (promise) promise.resolve(content);
  };
  const load = (name) => {
    const known = loaded.get(name);
    if (known) {
      // The part used last goes last: the first is dropped when there are too many.
      loaded.delete(name);
      loaded.set(name, known);
      return known;
    }
    const promise = new Promise((resolve, reject) => {
      const script = element("script");
      const missing = () => reject(new Error(`data/${name}.js is missing or damaged: copy the whole folder report/`));
      waiting.set(name, { resolve });
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
    if (loaded.size > KEPT) loaded.delete(loaded.keys().next().value);
    return promise;
  };
  const padded = (number, digits) => String(number).padStart(digits, "0");

  // What parts hold: numbers as bytes in base64.
  const bytes = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const floats = (text) => {
    const view = new DataView(bytes(text).buffer);
    return Float32Array.from({ length: view.byteLength / 4 }, (_, at) => view.getFloat32(4 * at, true));
  };
  const varints = (text) => {
    const numbers = [];
    let value = 0;
    let shift = 1;
    for (const byte of bytes(text)) {
      value += (byte & 127) * shift;
      shift *= 128;
      if (byte < 128) {
        numbers.push(value);
        value = 0;
        shift = 1;
      }
    }
    return numbers;
  };

  let index = null;
  const scoresOf = async (competitor) => {
    const part = await load(`scores-${padded(competitor, 2)}`);
    part.decoded ??= { status: bytes(part.status), values: part.values.map(() => null) };
    return { status: part.decoded.status, values: (score) => (part.decoded.values[score] ??= floats(part.values[score])) };
  };
  const facetOf = async (number) => {
    const part = await load(`facet-${padded(number, 2)}`);
    part.decoded ??= { counts: varints(part.counts), codes: varints(part.codes) };
    return part.decoded;
  };
  const entryOf = async (place) => (await load(`list-${padded(Math.floor(place / index.list), 4)}`))[place % index.list];
  const blockOf = (place) => {
    let [low, high] = [0, index.starts.length - 1];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (index.starts[middle] <= place) low = middle;
      else high = middle;
    }
    return low;
  };
  const itemOf = async (place) => {
    const block = blockOf(place);
    const [title, input, references] = (await load(`items-${padded(block, 6)}`))[place - index.starts[block]];
    return { title, input, references };
  };
  const answersOf = async (competitor, place) => {
    const block = blockOf(place);
    // A competitor that answered nothing of a block has no part for it.
    if (!(await hasAnswer(competitor, place))) return [];
    const rows = await load(`answers-${padded(competitor, 2)}-${padded(block, 6)}`);
    return rows
      .filter((row) => row[0] === place - index.starts[block])
      .map(([, repeat, status, answer, values, reason, missing]) => ({ repeat, status, answer, values, reason, missing: missing || {} }));
  };
  const NO_ANSWER = 255;
  const hasAnswer = async (competitor, place) => (await scoresOf(competitor)).status[place] !== NO_ANSWER;

