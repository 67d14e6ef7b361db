import { unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../command.js';
import type { Context } from '../context.js';
import { explain, explainedNames, type Explanation, type Schemas } from '../explained-schema.js';
import { CommandFailedError, UnknownNameError } from '../failures.js';
import { didYouMean } from '../nearest-name.js';
import { printJson } from '../output/json.js';
import { recordLines } from '../output/record.js';
import { printTable } from '../output/table.js';

export const command = defineCommand({
  arguments: [
    {
      name: 'field',
      description: 'a resource or a field, such as agent.labels; absent: list the resources',
      isOptional: true,
    },
  ],
  details:
    'Explains a resource or a field: its type, its bounds, its fields, and the requests that take it. ' +
    "Reads the service's OpenAPI document, without a login; config, which svc run reads, needs no " +
    'service. Names of schemas in the document work, too.',
  examples: [
    { command: 'explain agent', explanation: 'the fields of an agent' },
    { command: 'explain agent.health.state', explanation: 'one of them' },
    { command: 'explain config.restart', explanation: 'a part of the config that svc run reads' },
  ],
  read: (input) => ({ field: input.optionalArgument('field') }),
  async run({ field }, context) {
    const isOfRunner = field !== undefined && /^config(\.|$)/i.test(field);
    const schemas = isOfRunner ? {} : await documentedSchemas(context);
    if (field === undefined) {
      const names = explainedNames(schemas);
      if (context.output === 'json') return printJson(context, names);
      return names.forEach((name) => context.terminal.print(name));
    }
    const explanation = explain(field, schemas);
    if (!explanation) throw unknown(field.split('.'), schemas);
    printExplanation(context, explanation);
  },
});

/** The schemas of the service's document, which has no operation for the document itself. */
async function documentedSchemas(context: Context): Promise<Schemas> {
  const reply: unknown = await unwrap(context.stranger().GET('/openapi.json' as '/'));
  const schemas = (reply as { components?: { schemas?: Schemas } } | null)?.components?.schemas;
  if (!schemas) throw new CommandFailedError(`${context.address.url}/openapi.json describes no API`);
  return schemas;
}

/** The first word that can't be explained, and what there is in its place. */
function unknown(words: readonly string[], schemas: Schemas): UnknownNameError {
  const at = words.findIndex((_, index) => !explain(words.slice(0, index + 1).join('.'), schemas));
  const [word, path] = [words[at]!, words.slice(0, at).join('.')];
  if (at === 0) {
    const hint = didYouMean(word, explainedNames(schemas));
    return new UnknownNameError(`Unknown resource "${word}"${hint}: see "svc explain"`);
  }
  const fields = explain(path, schemas)!.fields.map(({ name }) => name);
  const hint = didYouMean(word, fields);
  return new UnknownNameError(`${path} has no field "${word}"${hint}: see "svc explain ${path}"`);
}

function printExplanation(context: Context, explanation: Explanation): void {
  if (context.output === 'json') return printJson(context, explanation);
  const { name, type, bounds, given_in, description, fields } = explanation;
  const lines = recordLines(
    [
      ['Name', name],
      ['Type', type],
      ['Bounds', bounds.join('; ')],
      ['Given in', given_in.join(', ')],
      ['Description', description],
    ],
    context.terminal.colors,
  );
  for (const line of lines) context.terminal.print(line);
  if (fields.length === 0) return;
  context.terminal.print('');
  printTable(context, fields, [
    { title: 'Field', value: (it) => it.name, fit: 'name' },
    { title: 'Type', value: (it) => it.type },
    { title: 'Bounds', value: (it) => it.bounds.join('; '), fit: 'detail' },
    { title: 'Description', value: (it) => it.description.replaceAll('\n', ' '), fit: 'detail' },
  ]);
}
