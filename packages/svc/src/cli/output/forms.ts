import { DEFAULT_SCALAR_STYLE_RULES, dump, SCALAR_STYLE_DOUBLE_QUOTED, type ScalarStyleRule } from 'js-yaml';
import type { OutputFormat } from '../context.js';
import type { JsonView } from './json-view.js';
import { isTreacherous, printable, printableLine } from './printable.js';

/** In double quotes the escapes that make a text harmless are those of YAML, so that the value stays. */
const escapable: ScalarStyleRule = (layout) => {
  if (isTreacherous(layout.node.value)) layout.style = SCALAR_STYLE_DOUBLE_QUOTED;
};
const RULES = [escapable, ...Object.values(DEFAULT_SCALAR_STYLE_RULES)];

/** The forms of data other than JSON. */
export const FORMS: Readonly<Partial<Record<OutputFormat, NonNullable<JsonView['form']>>>> = {
  yaml(value, isOneOfMany) {
    const text = yamlText(value).trimEnd();
    return isOneOfMany ? `---\n${text}` : text;
  },
  name: (value) =>
    rowsOf(value)
      .map((row) => printableLine(nameOf(row)))
      .join('\n'),
};

/** YAML that is harmless to a terminal. */
export function yamlText(value: unknown): string {
  return printable(dump(value, { lineWidth: -1, noRefs: true, scalarStyleRules: RULES }));
}

type Row = Readonly<Record<string, unknown>>;

/** The resources of a document: a list, the items of an object that has them, or one. */
function rowsOf(value: unknown): readonly Row[] {
  if (Array.isArray(value)) return value as Row[];
  const { items } = value as Row;
  return Array.isArray(items) ? (items as Row[]) : [value as Row];
}

/** The words by which other commands find it. What belongs to an agent goes by its id, because many share a name. */
function nameOf(row: Row): string {
  const isOfAgent = 'agent_name' in row;
  const candidates = isOfAgent ? [row.id] : [row.name, row.url, row.id, row.agent_id, row.config_version];
  const words = candidates.filter((it) => typeof it === 'string' || typeof it === 'number');
  return String(words.find((it) => it !== '') ?? '');
}
