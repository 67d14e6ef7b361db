import type { CommandTable } from './command-table.js';

/** Every command: only the one that is called gets loaded. */
export const ALL_COMMANDS: CommandTable = {
  groups: {
    agents: 'Record, deploy, watch and stop agents',
    deploy: 'Deployments of agents, and what became of them',
    'api-keys': 'Keys for agents, and for programs that act for you',
    webhooks: 'Where lifecycle events are sent to',
    context: 'Addresses of services, with a login for each',
  },
  commands: [
    {
      name: 'status',
      summary: 'Show which service this talks to, and as whom',
      load: () => import('./commands/status.js'),
    },
    { name: 'login', summary: 'Log in with email and password', load: () => import('./commands/login.js') },
    {
      name: 'logout',
      summary: 'Forget the login on this machine',
      load: () => import('./commands/logout.js'),
    },
    {
      name: 'whoami',
      summary: 'Show the account that commands run as',
      load: () => import('./commands/whoami.js'),
    },
    { name: 'context list', summary: 'List the contexts', load: () => import('./commands/context/list.js') },
    {
      name: 'context use',
      summary: 'Choose the context that commands use',
      load: () => import('./commands/context/use.js'),
    },
    { name: 'context add', summary: 'Add an address', load: () => import('./commands/context/add.js') },
    {
      name: 'context remove',
      summary: 'Forget an address and the login there',
      load: () => import('./commands/context/remove.js'),
    },
    { name: 'agents list', summary: 'List agents', load: () => import('./commands/agents/list.js') },
    {
      name: 'agents create',
      summary: 'Record an agent, and get its key',
      load: () => import('./commands/agents/create.js'),
    },
    {
      name: 'agents update',
      summary: 'Change an agent',
      load: () => import('./commands/agents/update.js'),
    },
    {
      name: 'agents configs',
      summary: "List the versions of an agent's configuration",
      load: () => import('./commands/agents/configs.js'),
    },
    {
      name: 'agents diff',
      summary: 'Compare two versions of a configuration',
      load: () => import('./commands/agents/diff.js'),
    },
    {
      name: 'agents status',
      summary: 'Show an agent and its deployments',
      load: () => import('./commands/agents/status.js'),
    },
    { name: 'agents deploy', summary: 'Deploy an agent', load: () => import('./commands/agents/deploy.js') },
    {
      name: 'agents stop',
      summary: 'Stop an agent and its deployments',
      load: () => import('./commands/agents/stop.js'),
    },
    {
      name: 'agents delete',
      summary: 'Delete an agent and all that belongs to it',
      load: () => import('./commands/agents/delete.js'),
    },
    {
      name: 'agents logs',
      summary: 'Show or follow what an agent logs',
      load: () => import('./commands/agents/logs.js'),
    },
    {
      name: 'agents metrics',
      summary: 'Show what an agent measures',
      load: () => import('./commands/agents/metrics.js'),
    },
    { name: 'deploy list', summary: 'List deployments', load: () => import('./commands/deploy/list.js') },
    { name: 'deploy get', summary: 'Show a deployment', load: () => import('./commands/deploy/get.js') },
    { name: 'deploy create', summary: 'Deploy an agent', load: () => import('./commands/deploy/create.js') },
    { name: 'deploy stop', summary: 'Stop one deployment', load: () => import('./commands/deploy/stop.js') },
    {
      name: 'deploy scale',
      summary: 'Change the number of replicas',
      load: () => import('./commands/deploy/scale.js'),
    },
    {
      name: 'deploy restart',
      summary: 'Start a stopped or failed deployment again',
      load: () => import('./commands/deploy/restart.js'),
    },
    {
      name: 'deploy delete',
      summary: 'Kill a deployment for good',
      load: () => import('./commands/deploy/delete.js'),
    },
    {
      name: 'deploy events',
      summary: 'Show or follow the history of a deployment',
      load: () => import('./commands/deploy/events.js'),
    },
    {
      name: 'deploy logs',
      summary: 'Show or follow what a deployment logs',
      load: () => import('./commands/deploy/logs.js'),
    },
    {
      name: 'deploy metrics',
      summary: 'Show what a deployment measures',
      load: () => import('./commands/deploy/metrics.js'),
    },
    {
      name: 'deploy commands',
      summary: 'Show what was asked of the agent, and what it waits for',
      load: () => import('./commands/deploy/commands.js'),
    },
    { name: 'api-keys list', summary: 'List keys', load: () => import('./commands/api-keys/list.js') },
    { name: 'api-keys create', summary: 'Make a key', load: () => import('./commands/api-keys/create.js') },
    {
      name: 'api-keys rotate',
      summary: 'Replace a key by a new one',
      load: () => import('./commands/api-keys/rotate.js'),
    },
    {
      name: 'api-keys revoke',
      summary: 'Revoke a key',
      load: () => import('./commands/api-keys/revoke.js'),
    },
    {
      name: 'audit',
      summary: 'Show who did what',
      load: () => import('./commands/audit.js'),
    },
    { name: 'webhooks list', summary: 'List webhooks', load: () => import('./commands/webhooks/list.js') },
    {
      name: 'webhooks create',
      summary: 'Have events sent to an address',
      load: () => import('./commands/webhooks/create.js'),
    },
    { name: 'webhooks get', summary: 'Show a webhook', load: () => import('./commands/webhooks/get.js') },
    {
      name: 'webhooks update',
      summary: 'Change a webhook',
      load: () => import('./commands/webhooks/update.js'),
    },
    {
      name: 'webhooks delete',
      summary: 'Delete a webhook',
      load: () => import('./commands/webhooks/delete.js'),
    },
    {
      name: 'webhooks test',
      summary: 'Send a message now, to try it',
      load: () => import('./commands/webhooks/test.js'),
    },
    {
      name: 'webhooks deliveries',
      summary: 'List what was sent, and what came of it',
      load: () => import('./commands/webhooks/deliveries.js'),
    },
    {
      name: 'webhooks redeliver',
      summary: 'Send a message again',
      load: () => import('./commands/webhooks/redeliver.js'),
    },
    {
      name: 'webhooks recover',
      summary: 'Send all again that has failed',
      load: () => import('./commands/webhooks/recover.js'),
    },
    {
      name: 'webhooks rotate-secret',
      summary: 'Replace the signing secret',
      load: () => import('./commands/webhooks/rotate-secret.js'),
    },
    {
      name: 'apply',
      summary: 'Create, change and deploy agents as a file says',
      load: () => import('./commands/apply/apply.js'),
    },
    {
      name: 'events',
      summary: 'Show or follow what happens to all your deployments',
      load: () => import('./commands/events.js'),
    },
    {
      name: 'open',
      summary: "Open the dashboard's page in a browser",
      load: () => import('./commands/open.js'),
    },
    { name: 'run', summary: 'Run an agent on this machine', load: () => import('./commands/run.js') },
    {
      name: 'complete',
      summary: 'List names for a completion script',
      isHidden: true,
      load: () => import('./commands/complete.js'),
    },
    {
      name: 'completion',
      summary: 'Write a completion script for a shell',
      load: () => import('./commands/completion.js'),
    },
  ],
};
