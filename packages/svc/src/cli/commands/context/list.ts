import { defineCommand } from '../../command.js';
import { contextsOf, DEFAULT_API_URL } from '../../contexts.js';
import { printList } from '../../output/table.js';
import { kindOf } from '../../session.js';

const CREDENTIALS = { session: 'logged in', key: 'a key', none: 'not logged in' } as const;

export const command = defineCommand({
  details: 'A context is the address of a service and your login there. Commands use the current one.',
  examples: [{ command: 'context list', explanation: 'the contexts, the current one first' }],
  read: () => ({}),
  async run(_options, context) {
    const items = contextsOf(await context.config.read()).map((it, index) => ({
      name: it.name,
      is_current: index === 0,
      api_url: it.api_url ?? DEFAULT_API_URL,
      web_url: it.web_url ?? null,
      project_id: it.project_id ?? null,
      credential: kindOf(it),
    }));
    printList(context, {
      items,
      columns: [
        { title: 'NAME', value: ({ name }) => name, fit: 'name' },
        { title: 'CURRENT', value: ({ is_current }) => (is_current ? 'yes' : '') },
        { title: 'ADDRESS', value: ({ api_url }) => api_url },
        { title: 'CREDENTIAL', value: ({ credential }) => CREDENTIALS[credential] },
        { title: 'DASHBOARD', value: ({ web_url }) => web_url, fit: 'detail' },
        { title: 'PROJECT', value: ({ project_id: id }) => id, fit: 'detail' },
      ],
      ifEmpty: '',
    });
  },
});
