/** The pages behind a session by their routes in `src/web/ui/app/router.tsx`, each with its address. */
export const PAGES: readonly { readonly path: string; readonly address: (ids: Ids) => string }[] = [
  { path: '', address: () => '/' },
  ...[
    'welcome',
    'agents',
    'agents/new',
    'pauses',
    'deployments',
    'runs',
    'approvals',
    'schedules',
    'usage',
    'logs',
    'api-keys',
    'account',
    'webhooks',
    'audit',
    'projects',
    'maintenance',
    'users',
    'leads',
  ].map((path) => ({ path, address: () => `/${path}` })),
  ...(['agents', 'deployments', 'runs', 'approvals', 'schedules', 'projects', 'webhooks'] as const).map(
    (kind) => ({ path: `${kind}/:id`, address: (ids: Ids) => `/${kind}/${ids[kind]}` }),
  ),
];

/** A resource of each kind that has a page of its own. */
export type Ids = Readonly<
  Record<'agents' | 'deployments' | 'runs' | 'approvals' | 'schedules' | 'projects' | 'webhooks', string>
>;
