import { normalAddress, plainHttpWarning } from '../../api-address.js';
import { defineCommand } from '../../command.js';
import { withContext } from '../../contexts.js';
import { filled } from '../../option-values.js';
import { printDone } from '../../output/done.js';

export const command = defineCommand({
  arguments: [
    { name: 'name', description: 'its name', parse: filled },
    {
      name: 'address',
      description: "the service's address",
      parse: (text) => normalAddress(text, 'The address'),
    },
  ],
  options: [
    {
      flags: '--web-url <address>',
      description: "the dashboard's address, for svc open",
      parse: (text) => normalAddress(text, '--web-url'),
    },
  ],
  details:
    'The current context does not change. svc login --api-url also adds a context, and makes it the ' +
    'current one.',
  examples: [
    {
      command: 'context add staging https://control.example.com --web-url https://agents.example.com',
      explanation: 'then: svc context use staging, and svc login',
    },
  ],
  read: (input) => ({
    name: input.argument('name'),
    api_url: input.argument('address'),
    web_url: input.text('web-url'),
  }),
  async run({ name, api_url, web_url }, context) {
    const added = { name, api_url, ...(web_url !== undefined && { web_url }) };
    await context.config.write(withContext(await context.config.read(), added));
    const warning = plainHttpWarning(api_url);
    if (warning !== undefined) context.terminal.note(warning);
    printDone(context, added, `Added the context ${name}, ${api_url}`);
  },
});
