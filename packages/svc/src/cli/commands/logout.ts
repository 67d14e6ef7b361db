import { defineCommand } from '../command.js';
import { contextAt, DEFAULT_API_URL, NO_CONFIG, withoutContext } from '../contexts.js';
import { printJson } from '../output/json.js';
import { printableLine } from '../output/printable.js';

export const command = defineCommand({
  replacesConfig: true,
  options: [{ flags: '--all', description: 'forget the logins at all addresses' }],
  details:
    'Removes the tokens and the address from ~/.svc/config.json. The service is not asked and revokes nothing: an access\n' +
    'token that somebody has copied ends by itself within 30 minutes, a refresh token within seven days. The page\n' +
    '"Account" of the dashboard ends the session at once.',
  examples: [
    { command: 'logout', explanation: 'forget the login on this machine' },
    { command: 'logout --all', explanation: 'and those at other addresses' },
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
