/** Cache keys of all resources. live-updates.tsx maps events of the feed to them. */
export const queryKeys = {
  session: ['session'] as const,
  sessions: ['sessions'] as const,
  factors: ['factors'] as const,
  loginMethods: ['login-methods'] as const,
  maintenance: ['maintenance'] as const,
  overview: ['overview'] as const,
  overviewDay: ['overview-day'] as const,
  agents: {
    all: ['agents'] as const,
    list: (filter: object = {}) => ['agents', 'list', filter] as const,
    one: (id: string) => ['agents', 'one', id] as const,
    matching: (selector: object) => ['agents', 'matching', selector] as const,
    configs: (id: string) => ['agents', 'configs', id] as const,
    revealed: (id: string, version: number) => ['agents', 'revealed', id, version] as const,
    config: (id: string, version: number, reveals: boolean) =>
      ['agents', 'configs', id, version, reveals] as const,
  },
  // apart from the agents, as their names are: an event of the feed changes one hour of many
  healthHours: (id: string) => ['health-hours', id] as const,
  // apart from the agents, so that no event of the feed reads names again
  agentNames: {
    all: ['agent-names'] as const,
    one: (id: string) => ['agent-names', 'one', id] as const,
    found: (filter: object) => ['agent-names', 'found', filter] as const,
  },
  deployments: {
    all: ['deployments'] as const,
    list: (filter: object = {}) => ['deployments', 'list', filter] as const,
    one: (id: string) => ['deployments', 'one', id] as const,
    history: (id: string) => ['deployments', 'history', id] as const,
    commands: (id: string) => ['deployments', 'commands', id] as const,
  },
  runs: {
    all: ['runs'] as const,
    list: (filter: object = {}) => ['runs', 'list', filter] as const,
    one: (id: string) => ['runs', 'one', id] as const,
    history: (id: string) => ['runs', 'history', id] as const,
    ofVersions: (agentId: string, versions: readonly number[]) =>
      ['runs', 'of-versions', agentId, versions] as const,
    spans: (id: string) => ['runs', 'spans', id] as const,
    lines: (id: string) => ['runs', 'lines', id] as const,
    span: (id: string, spanId: string) => ['runs', 'span', id, spanId] as const,
    spanContent: (id: string, spanId: string) => ['runs', 'span-content', id, spanId] as const,
  },
  schedules: {
    all: ['schedules'] as const,
    lists: ['schedules', 'list'] as const,
    list: (filter: object = {}) => ['schedules', 'list', filter] as const,
    one: (id: string) => ['schedules', 'one', id] as const,
  },
  approvals: {
    counts: ['approvals', 'count'] as const,
    lists: ['approvals', 'list'] as const,
    list: (filter: object = {}) => ['approvals', 'list', filter] as const,
    one: (id: string) => ['approvals', 'one', id] as const,
  },
  pauses: {
    all: ['pauses'] as const,
    list: (wanted: object) => ['pauses', 'list', wanted] as const,
  },
  usage: (wanted: object) => ['usage', wanted] as const,
  budgets: {
    all: ['budgets'] as const,
    list: (projectId: string | undefined) => ['budgets', 'list', projectId] as const,
  },
  metrics: (basePath: string, range: string, q: string) => ['metrics', basePath, range, q] as const,
  apiKeys: ['api-keys'] as const,
  webhooks: {
    all: ['webhooks'] as const,
    list: ['webhooks', 'list'] as const,
    one: (id: string) => ['webhooks', 'one', id] as const,
    revealed: (id: string) => ['webhooks', 'revealed', id] as const,
    deliveries: (id: string, filter: object = {}) => ['webhooks', 'deliveries', id, filter] as const,
  },
  projects: {
    all: ['projects'] as const,
    everybodys: (text: string | null) => ['projects', 'everybodys', text] as const,
    one: (id: string) => ['projects', 'one', id] as const,
    members: (id: string) => ['projects', 'members', id] as const,
    limits: (id: string) => ['projects', 'limits', id] as const,
  },
  users: ['users'] as const,
  leads: ['leads'] as const,
  audit: {
    list: (filter: object = {}) => ['audit', 'list', filter] as const,
    madeBy: (keyId: string) => ['audit', 'made-by', keyId] as const,
  },
};
