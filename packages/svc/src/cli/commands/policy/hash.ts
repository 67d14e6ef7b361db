import { hashOfConfig } from '../../../runner/policy/policy-refusals.js';
import { readAgentConfig } from '../../agent-config.js';
import { defineCommand } from '../../command.js';
import { printJson } from '../../output/json.js';

export const command = defineCommand({
  arguments: [{ name: 'file', description: 'the config, JSON; - for standard input' }],
  details:
    'Prints the SHA-256 of a config, for the rule "configs" of a policy. It is computed from canonical ' +
    'JSON (RFC 8785), with all values of "env", so whitespace and the order of names do not matter. Needs ' +
    'no service.',
  examples: [{ command: 'policy hash config.json', explanation: 'of a config in a file' }],
  read: (input) => ({ file: input.argument('file') }),
  async run({ file }, context) {
    const sha256 = hashOfConfig(await readAgentConfig(file, context));
    if (context.output === 'json') return printJson(context, { sha256 });
    context.terminal.print(sha256);
  },
});
