import { defineCommand } from '../../command.js';
import { contextCalled, withoutContext } from '../../contexts.js';
import { printDone } from '../../output/done.js';
import { contextArgument } from './argument.js';

export const command = defineCommand({
  arguments: [contextArgument],
  details:
    'Removes the address and the login from this machine. The service revokes nothing: see svc logout.',
  examples: [{ command: 'context remove staging', explanation: 'on this machine' }],
  read: (input) => ({ text: input.argument('context') }),
  async run({ text }, context) {
    const config = await context.config.read();
    const { name } = contextCalled(config, text);
    await context.config.write(withoutContext(config, name));
    printDone(context, { removed: name }, `Removed the context ${name}`);
  },
});
