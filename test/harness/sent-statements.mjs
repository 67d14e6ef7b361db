import pg from 'pg';

/** Beginning of the names of the service's pools; migrations and the tests have other connections. */
const POOLS = 'agent-control-plane ';
/** A time in a text; without it the texts of one statement are the same. */
const TIMES = /'[^']*'::timestamptz/g;

// Jest loads this module once for each worker, so that a statement is judged once and not in each suite.
const known = new Set();
const waiting = new Set();

const { query } = pg.Client.prototype;
pg.Client.prototype.query = function (statement, ...rest) {
  const text = typeof statement === 'string' ? statement : statement?.text;
  if (typeof text === 'string' && this.connectionParameters.application_name?.startsWith(POOLS)) note(text);
  return Reflect.apply(query, this, [statement, ...rest]);
};

function note(text) {
  const form = text.includes('::timestamptz') ? text.replace(TIMES, 'now()') : text;
  if (known.has(form)) return;
  known.add(form);
  waiting.add(text);
}

export function takeStatements() {
  const texts = [...waiting];
  waiting.clear();
  return texts;
}

export function returnStatement(text) {
  waiting.add(text);
}
