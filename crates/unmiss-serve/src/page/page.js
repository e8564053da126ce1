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
  if (response.status === 401) find("entry").hidden = false;
  let error = { what: `The server answered ${response.status}.`, where: {}, hint: "" };
  try {
    error = (await response.json()).error;
  } catch {
    // Not from this server, so there is no more to say.
  }
  throw error;
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
    showFault(error);
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

function typeOf(file) {
  if (/\.parquet$/i.test(file.name)) return "application/vnd.apache.parquet";
  return /\.gz$/i.test(file.name) ? "application/gzip" : "text/csv";
}

const verb = () => ({ predict: "predict", fill: "fill", density: "score" })[state.model.job];

function parameters() {
  const given = new URLSearchParams();
  const level = find("level").value;
  const draws = Number(find("draws").value);
  const { job, intervals, sets } = state.model;
  if (job === "predict" && level && (intervals || sets)) given.set("level", level);
  if (job === "fill" && draws > 0) given.set("draws", String(draws));
  return given.toString() ? `?${given}` : "";
}

function post(path, accept) {
  const body = { method: "POST", body: state.file, headers: { "Content-Type": typeOf(state.file), Accept: accept } };
  return ask(`/models/${state.model.name}/${path}`, body);
}

async function answer() {
  await during(`Asking about ${state.file.name} ...`, async () => {
    const path = verb() + parameters();
    const response = await post(path, "text/csv");
    const text = await response.text();
    offer(text);
    const notes = JSON.parse(response.headers.get("unmiss-notes") || "[]");
    find("notes").replaceChildren(...notes.map((note) => element("li", note)));
    const sent = /csv/.test(typeOf(state.file)) ? parse(await state.file.text()) : null;
    show(parse(text), sent);
    for (const frame of ["description", "findings"]) find(frame).hidden = true;
    find("trust").hidden = !state.model.routes.some((route) => route.endsWith("/audit"));
  });
}

function offer(text) {
  if (state.address) URL.revokeObjectURL(state.address);
  state.address = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  const link = find("download");
  link.href = state.address;
  link.download = `${state.file.name.replace(/\.[^.]*$/, "")}-${verb()}.csv`;
}

// CSV as the server reads it: the delimiter that the header has most of, quotes doubled inside quotes.
function parse(text) {
  text = text.replace(/^\ufeff/, "");
  const first = text.slice(0, text.search(/[\r\n]|$/));
  const count = (sign) => first.split(sign).length;
  const delimiter = [",", ";", "\t", "|"].reduce((best, sign) => (count(sign) > count(best) ? sign : best));
  const rows = [];
  let row = [], cell = "", quoted = false, started = false;
  const endCell = () => { row.push(cell); cell = ""; started = false; };
  const endRow = () => { endCell(); if (row.length > 1 || row[0] !== "") rows.push(row); row = []; };
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (quoted) {
      if (sign !== '"') cell += sign;
      else if (text[at + 1] === '"') { cell += '"'; at++; }
      else quoted = false;
    } else if (sign === '"' && !started) { quoted = true; started = true; }
    else if (sign === delimiter) endCell();
    else if (sign === "\n") endRow();
    else if (sign !== "\r") { cell += sign; started = true; }
  }
  if (cell !== "" || row.length) endRow();
  return { names: (rows.shift() || []).map((name) => name.trim()), rows };
}

function isHole(cell) {
  const trimmed = cell.trim();
  return trimmed === "" || (state.model.missing_words || []).includes(trimmed);
}

function show(answers, sent) {
  const job = state.model.job;
  find("answers").hidden = false;
  find("heading").textContent = { predict: "Predictions", fill: "Filled rows", density: "How plausible rows are" }[job];
  const rows = answers.rows.length;
  find("more").textContent = rows > SHOWN ? `The first ${SHOWN} of ${rows} rows; the download has all.` : "";
  if (job === "fill") showFilled(answers, sent);
  else showBeside(answers, sent);
  if (sent) showHoles(sent);
  find("holes").hidden = !sent;
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
function showFilled(answers, sent) {
  const lead = answers.names[0] === "draw" && (!sent || sent.names[0] !== "draw") ? 1 : 0;
  const body = element("tbody");
  let filled = 0;
  answers.rows.forEach((row, place) => {
    const before = sent && sent.rows.length ? sent.rows[place % sent.rows.length] : null;
    const marks = row.map((cell, column) => {
      const hole = before && column >= lead && isHole(before[column - lead] || "");
      return hole ? (cell === "" ? "hole" : "filled") : "";
    });
    filled += marks.filter((mark) => mark === "filled").length;
    if (place >= SHOWN) return;
    const line = element("tr");
    line.append(...row.map((cell, column) => cellOf(cell, marks[column])));
    body.append(line);
  });
  find("summary").textContent = sent
    ? `${filled} cells of ${answers.rows.length} rows are filled (green). Known cells are as they were.`
    : `${answers.rows.length} rows.`;
  find("table").replaceChildren(head(answers.names), body);
}

// Answers in front, the row that they are for behind them, with its holes marked.
function showBeside(answers, sent) {
  const body = element("tbody");
  const main = ["prediction", "rarity"];
  // Columns that were carried along stand in front already.
  const further = (sent ? sent.names : []).map((name, column) => ({ name, column }))
    .filter(({ name }) => !answers.names.includes(name));
  answers.rows.slice(0, SHOWN).forEach((row, place) => {
    const line = element("tr");
    line.append(...row.map((cell, column) => cellOf(cell, main.includes(answers.names[column]) ? "answer" : "")));
    const own = sent ? sent.rows[place] || [] : [];
    line.append(...further.map(({ column }) => cellOf(own[column] || "", isHole(own[column] || "") ? "hole" : "")));
    body.append(line);
  });
  find("summary").textContent = `${answers.rows.length} rows are answered for; holes are marked.`;
  find("table").replaceChildren(head(answers.names.concat(further.map(({ name }) => name))), body);
}

function showHoles(sent) {
  const inputs = new Map(state.model.inputs.map((input) => [input.name, input]));
  const body = element("tbody");
  const percent = (share) => `${(100 * share).toFixed(1)} %`;
  sent.names.forEach((name, column) => {
    const missing = sent.rows.filter((row) => isHole(row[column] || "")).length;
    const share = sent.rows.length ? missing / sent.rows.length : 0;
    const before = inputs.get(name);
    const line = element("tr");
    const bar = element("td", undefined, "bar");
    const drawn = element("div");
    drawn.style.width = `${100 * share}%`;
    bar.append(drawn);
    line.append(element("td", name), bar, element("td", percent(share), "number"),
      element("td", before ? percent(before.missing) : "not learned from", "number"));
    body.append(line);
  });
  find("bars").replaceChildren(head(["column", "missing here", "share", "in training"]), body);
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
find("enter").addEventListener("click", () => during("", loadModels));
during("Looking for models ...", loadModels);
