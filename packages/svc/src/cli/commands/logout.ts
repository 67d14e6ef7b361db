import { defineCommand } from '../command.js';
import { contextAt, DEFAULT_API_URL, NO_CONFIG, withoutContext } from '../contexts.js';
import { printJson } from '../output/json.js';
import { printableLine } from '../output/printable.js';

export const command = defineCommand({
  replacesConfig: true,
  options: [{ flags: '--all', description: 'log out at all addresses' }],
  details:
    'Removes the tokens and the address from ~/.svc/config.json. The service revokes nothing: a copied ' +
    'access token works for up to 30 minutes, a refresh token for seven days. To end the session at once, ' +
    'use the page "Account" of the dashboard.',
  examples: [
    { command: 'logout', explanation: 'at the current address' },
    { command: 'logout --all', explanation: 'at all addresses' },
  ],
  read: (input) => ({ isAll: input.flag('all') }),
  async run({ isAll }, context) {
    const { address, config, terminal } = context;
    const before = await config.read();
    const login = contextAt(before, address.url);
    const after = isAll ? NO_CONFIG : login ? withoutContext(before, login.name) : before;
    await config.write(after);
    if (context.output === 'json') return printJson(context, { message: 'Logged out' });
    terminal.print(
      printableLine(login?.api_key || isAll ? 'Logged out' : `Nobody was logged in to ${address.url}`),
    );
    const others = after.contexts.map(({ name }) => name).join(', ');
    if (others !== '')
      terminal.note(printableLine(`Other logins are kept: ${others}; see "svc context use"`));
    if (address.url !== DEFAULT_API_URL)
      terminal.note(printableLine(`To log in there again: svc login --api-url ${address.url}`));
  },
});
