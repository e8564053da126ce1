// The page for people. Everything is asked of the server that gave the page; nothing is kept.
"use strict";

const SHOWN = 200; // Rows on the page; the download has all.
const find = (id) => document.getElementById(id);
const state = { models: [], model: null, file: null, address: null };

function element(name, text, kind) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (kind) made.className = kind;
  return made;
}

function headers(further) {
  const token = find("token").value;
  return token ? { ...further, Authorization: `Bearer ${token}` } : further;
}

// Asks the server; what it refuses is an error with what, where and what to do.
async function ask(path, options = {}) {
  const response = await fetch(path, { ...options, headers: headers(options.headers || {}) });
  if (response.ok) return response;
  let error = { what: `The server answered ${response.status}.`, where: {}, hint: "" };
  try {
    error = (await response.json()).error;
  } catch {
    // Not from this server, so there is no more to say.
  }
  throw { ...error, code: response.status };
}

// Nobody has done anything wrong who has not been asked for the token yet.
function askForToken() {
  const given = find("token").value !== "";
  find("entry").hidden = false;
  find("token").focus();
  say(given ? "" : "This server asks for a token: enter it above, as it was started with.");
  if (given) showFault({ what: "That is not the token of this server", hint: "Enter it again." });
}

function showFault(error) {
  const fault = find("fault");
  fault.hidden = false;
  const place = Object.entries(error.where || {}).map(([part, value]) => `${part} ${value}`).join(", ");
  fault.replaceChildren(element("b", error.what || String(error)));
  if (place) fault.append(element("span", ` (${place})`));
  if (error.hint) fault.append(element("p", error.hint));
}

function say(text) {
  find("state").textContent = text;
}

async function during(words, work) {
  find("fault").hidden = true;
  say(words);
  try {
    await work();
    say("");
  } catch (error) {
    say("");
    if (error.code === 401) askForToken();
    else showFault(error);
  }
}

async function loadModels() {
  const models = (await (await ask("/models")).json()).models;
  const tables = models.filter((model) => model.shape === "table");
  state.models = tables;
  const list = find("model");
  list.replaceChildren(...tables.map((model) => {
    const option = element("option", `${model.name} (${words(model.job)}, ${model.method})`);
    option.value = model.name;
    return option;
  }));
  if (tables.length) await choose();
  else find("about").textContent = "No model of tables is served here; ratings and images are for programs.";
}

async function enter() {
  await loadModels();
  find("entry").hidden = true;
}

const words = (job) => ({ predict: "predicts", fill: "fills holes", density: "tells how plausible rows are" })[job] || job;

async function choose() {
  const model = await (await ask(`/models/${find("model").value}`)).json();
  state.model = model;
  const target = model.target ? ` It predicts ${model.target.name}.` : "";
  find("about").textContent = `Learned from ${model.learned_from} rows by ${model.method}.${target}`;
  const names = model.inputs.map((input) => input.name);
  const more = names.length > 12 ? ` and ${names.length - 12} more` : "";
  find("needs").textContent = `Columns: ${names.slice(0, 12).join(", ")}${more}. Any cell may be empty.`;
  for (const part of document.querySelectorAll("#choices span")) part.hidden = part.dataset.for !== model.job;
  if (state.file) await answer();
}

const verb = () => ({ predict: "predict", fill: "fill", density: "score" })[state.model.job];

function parameters() {
  const given = new URLSearchParams();
  const level = find("level").value;
  const draws = Number(find("draws").value);
  const { job, intervals, sets } = state.model;
  if (job === "predict" && level && (intervals || sets)) given.set("level", level);
  if (job === "fill" && draws > 0) given.set("draws", String(draws));
  return given;
}

// The server looks at the bytes of a file, whatever it is: there is no need to know its form here.
function post(path, accept) {
  const headers = { "Content-Type": "text/csv", Accept: accept };
  return ask(`/models/${state.model.name}/${path}`, { method: "POST", body: state.file, headers });
}

// What was said of another file must not stand below a new one, least of all below its refusal.
function clear() {
  for (const id of ["answers", "holes", "trust", "description", "findings"]) find(id).hidden = true;
  for (const id of ["notes", "table", "bars"]) find(id).replaceChildren();
  find("summary").textContent = "";
  if (state.address) URL.revokeObjectURL(state.address);
  state.address = null;
  find("download").removeAttribute("href");
}

// Rows come back as the server read them: a second reader here would read some files otherwise.
async function answer() {
  clear();
  await during(`Asking about ${state.file.name} ...`, async () => {
    const given = parameters();
    given.set("sent", "true");
    const told = await (await post(`${verb()}?${given}`, "application/json")).json();
    find("notes").replaceChildren(...told.notes.map((note) => element("li", note)));
    show(told);
    find("trust").hidden = !state.model.routes.some((route) => route.endsWith("/audit"));
  });
}

// The file to take away is made when it is asked for, as programs get it.
async function download(event) {
  if (state.address) return;
  event.preventDefault();
  await during("Making the file ...", async () => {
    const text = await (await post(`${verb()}?${parameters()}`, "text/csv")).blob();
    state.address = URL.createObjectURL(text);
    const link = find("download");
    link.href = state.address;
    link.download = `${state.file.name.replace(/\.[^.]*$/, "")}-${verb()}.csv`;
    link.click();
  });
}

const textOf = (value) => (value === null || value === undefined ? "" : String(value));

function show(told) {
  const job = state.model.job;
  find("answers").hidden = false;
  find("heading").textContent = { predict: "Predictions", fill: "Filled rows", density: "How plausible rows are" }[job];
  const answers = told.draws ? told.draws.flat() : told.rows;
  const rows = answers.length;
  find("more").textContent = rows > SHOWN ? `The first ${SHOWN} of ${rows} rows; the download has all.` : "";
  if (job === "fill") showFilled(answers, told);
  else showBeside(answers.slice(0, SHOWN).map(flat), rows, told.sent);
  showHoles(told.sent);
}

// The columns of an answer: what is in objects of its own gets a place in the row.
function flat(row) {
  const { id, probabilities, set, missing, known, expected_error: ratio, off_by: size, measured, ...rest } = row;
  const cells = { ...id, ...rest };
  if (!("off_by" in row) && known !== undefined) cells.known = known;
  if (set) cells.set = set.join(" | ");
  for (const [name, chance] of Object.entries(probabilities || {})) cells[`chance of ${name}`] = chance;
  // A row's own account of what it lacks.
  if (typeof size === "number") {
    cells["off by about"] = size;
    cells["than without holes"] = `x ${ratio.toFixed(2)}${measured ? "" : " or more: not measured"}`;
  }
  const costs = Object.fromEntries((missing || []).map(({ column, costs: cost }) => [column, cost]));
  return { cells, costs };
}

function head(names) {
  const line = element("tr");
  line.append(...names.map((name) => element("th", name)));
  const made = element("thead");
  made.append(line);
  return made;
}

function cellOf(text, kind = "") {
  const number = text !== "" && !Number.isNaN(Number(text));
  const shown = number && /\.\d{5,}/.test(text) ? Number(text).toPrecision(5) : text;
  const made = element("td", shown, `${kind} ${number ? "number" : ""}`.trim());
  if (shown !== text) made.title = text;
  return made;
}

// Filled cells are marked; the rest is what was sent. Draws are told by the first column.
function showFilled(answers, { draws, sent }) {
  const body = element("tbody");
  const names = Object.keys(answers[0] || {});
  let filled = 0;
  answers.forEach((row, place) => {
    const before = sent[place % sent.length];
    const marks = names.map((name) => {
      const hole = name in before && before[name] === null;
      return hole ? (row[name] === null ? "hole" : "filled") : "";
    });
    filled += marks.filter((mark) => mark === "filled").length;
    if (place >= SHOWN) return;
    const line = element("tr");
    if (draws) line.append(cellOf(String(1 + Math.floor(place / sent.length))));
    line.append(...names.map((name, column) => cellOf(textOf(row[name]), marks[column])));
    body.append(line);
  });
  find("summary").textContent =
    `${filled} cells of ${answers.length} rows are filled (green). Known cells are as they were.`;
  find("table").replaceChildren(head(draws ? ["draw", ...names] : names), body);
}

// Answers in front, the row that they are for behind them, with its holes marked.
function showBeside(answers, rows, sent) {
  const body = element("tbody");
  const main = ["prediction", "rarity"];
  const names = Object.keys((answers[0] || { cells: {} }).cells);
  // Columns that were carried along stand in front already.
  const further = Object.keys(sent[0] || {}).filter((name) => !names.includes(name));
  answers.forEach(({ cells, costs }, place) => {
    const line = element("tr");
    line.append(...names.map((name) => cellOf(textOf(cells[name]), main.includes(name) ? "answer" : "")));
    line.append(...further.map((name) => {
      const made = cellOf(textOf(sent[place][name]), sent[place][name] === null ? "hole" : "");
      const cost = costs[name];
      if (typeof cost === "number") made.title = `${cost.toFixed(2)} times as far off as if it were known`;
      return made;
    }));
    body.append(line);
  });
  find("summary").textContent = `${rows} rows are answered for; holes are marked.`;
  find("table").replaceChildren(head(names.concat(further)), body);
}

function showHoles(sent) {
  const inputs = new Map(state.model.inputs.map((input) => [input.name, input]));
  const body = element("tbody");
  const percent = (share) => `${(100 * share).toFixed(1)} %`;
  for (const name of Object.keys(sent[0] || {})) {
    const share = sent.filter((row) => row[name] === null).length / sent.length;
    const before = inputs.get(name);
    const line = element("tr");
    const bar = element("td", undefined, "bar");
    const drawn = element("div");
    drawn.style.width = `${100 * share}%`;
    bar.append(drawn);
    line.append(element("td", name), bar, element("td", percent(share), "number"),
      element("td", before ? percent(before.missing) : "not learned from", "number"));
    body.append(line);
  }
  find("bars").replaceChildren(head(["column", "missing here", "share", "in training"]), body);
  find("holes").hidden = false;
}

async function frame(path, id) {
  await during("This may take a while ...", async () => {
    const response = await post(path, "text/html");
    const shown = find(id);
    shown.srcdoc = await response.text();
    shown.hidden = false;
  });
}

function take(file) {
  if (!file || !state.model) return;
  state.file = file;
  answer();
}

const drop = find("drop");
for (const kind of ["dragenter", "dragover"]) {
  drop.addEventListener(kind, (event) => { event.preventDefault(); drop.classList.add("over"); });
}
for (const kind of ["dragleave", "drop"]) drop.addEventListener(kind, () => drop.classList.remove("over"));
drop.addEventListener("drop", (event) => { event.preventDefault(); take(event.dataTransfer.files[0]); });
find("ask").addEventListener("submit", (event) => event.preventDefault());
find("file").addEventListener("change", () => take(find("file").files[0]));
find("model").addEventListener("change", () => during("", choose));
for (const id of ["level", "draws"]) find(id).addEventListener("change", () => state.file && answer());
find("describe").addEventListener("click", () => frame("describe", "description"));
find("audit").addEventListener("click", () => frame("audit", "findings"));
find("enter").addEventListener("click", () => during("", enter));
find("token").addEventListener("keydown", (event) => event.key === "Enter" && during("", enter));
find("download").addEventListener("click", download);
during("Looking for models ...", loadModels);
