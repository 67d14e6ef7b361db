import { defineCommand } from '../../command.js';
import { contextCalled, DEFAULT_API_URL, withCurrent } from '../../contexts.js';
import { printDone } from '../../output/done.js';
import { contextArgument } from './argument.js';

export const command = defineCommand({
  arguments: [contextArgument],
  examples: [{ command: 'context use staging', explanation: 'commands go there from now on' }],
  read: (input) => ({ text: input.argument('context') }),
  async run({ text }, context) {
    const config = await context.config.read();
    const used = contextCalled(config, text);
    const api_url = used.api_url ?? DEFAULT_API_URL;
    await context.config.write(withCurrent(config, used));
    printDone(context, { name: used.name, api_url }, `Commands now use ${used.name}, ${api_url}`);
    if (used.api_key === null) context.terminal.note('You are not logged in there: run "svc login"');
    if (context.environment.SERVICE_API_URL)
      context.terminal.note('SERVICE_API_URL is set and overrides the context: unset it to use the context');
  },
});
