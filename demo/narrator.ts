/** Prints the demo: numbered steps, and for each the request and the reply in short. */

const INDENT = '     ';
const MAXIMUM_WIDTH = 120;
/** Fields that are left out, because they say little on a first reading. */
const UNTOLD =
  /^(id|user_id|agent_id|deployment_id|command_id|timestamp|type|config|node_id|status_source)$|_at$/;
const SECRETS = /"(password|access_token|refresh_token|api_key)":"[^"]*"/g;

const names = new Map<string, string>();
let steps = 0;

export function step(title: string): void {
  steps++;
  process.stdout.write(`\n${String(steps).padStart(2)}   ${title}\n`);
}

export function stepsTold(): number {
  return steps;
}

export function sent(method: string, path: string, body: unknown): void {
  line('->', `${method} ${path}${body === undefined ? '' : ` ${short(body)}`}`);
}

export function received(status: number, body: unknown): void {
  line('<-', `${status}${body === undefined || body === '' ? '' : ` ${short(body)}`}`);
}

export function note(text: string): void {
  line('  ', text);
}

function line(mark: string, text: string): void {
  process.stdout.write(`${INDENT}${mark} ${withNames(text)}\n`);
}

/** Registers a name that is printed instead of this id. */
export function nameId(id: string, name: string): void {
  names.set(id, `<${name}>`);
}

/** One line of JSON without secrets, times and nulls, with ids replaced by their names, and cut if it is long. */
export function short(value: unknown): string {
  const told = JSON.stringify(value, (key, inner: unknown) =>
    UNTOLD.test(key) || inner === null ? undefined : inner,
  );
  const text = withNames(told.replace(SECRETS, '"$1":"..."'));
  return text.length <= MAXIMUM_WIDTH ? text : `${text.slice(0, MAXIMUM_WIDTH - 3)}...`;
}

function withNames(text: string): string {
  for (const [id, name] of names) text = text.replaceAll(id, name);
  return text;
}
