import { defineCommand } from '../command.js';
import { DEFAULT_API_URL, NO_CONFIG } from '../config-file.js';
import { printJson } from '../output/json.js';
import { printableLine } from '../output/printable.js';

export const command = defineCommand({
  details:
    'Clears ~/.svc/config.json: tokens and address. The service is not asked and revokes nothing: an access token that\n' +
    'somebody has copied ends by itself within 30 minutes, a refresh token within seven days. The page "Account" of the\n' +
    'dashboard ends the session at once.',
  examples: [{ command: 'logout', explanation: 'forget the login on this machine' }],
  read: () => ({}),
  async run(_options, context) {
    const before = await context.config.read();
    await context.config.write(NO_CONFIG);
    if (context.output === 'json') return printJson(context, { message: 'Logged out' });
    context.terminal.print(before.api_key === null ? 'Nobody was logged in' : 'Logged out');
    if (before.api_url !== DEFAULT_API_URL)
      context.terminal.note(printableLine(`To log in there again: svc login --api-url ${before.api_url}`));
  },
});
