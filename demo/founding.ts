import { type Agent, type ServiceClient, unwrap } from '@agent-control-plane/client';
import {
  type AgentFacts,
  COMPANY_LIMIT_USD,
  PEOPLE,
  SCHEDULES,
  TEAM,
  TRANSLATOR_LIMIT_USD,
} from './company.js';
import type { Kept } from './kept.js';
import { enter, type Person } from './person.js';

/** The company as the service has it. */
export interface Company {
  readonly isNew: boolean;
  readonly projectId: string;
  readonly ada: Person;
  readonly ben: Person;
  /** By name. */
  readonly agents: ReadonlyMap<string, Agent>;
}

/** Makes what is missing of the company: accounts, project, members, agents, budgets, schedules. @throws ServiceError */
export async function found(url: string, kept: Kept, facts: readonly AgentFacts[]): Promise<Company> {
  const [ada, ben, cleo] = (await Promise.all(PEOPLE.map((person) => enter(url, kept, person)))) as [
    Person,
    Person,
    Person,
  ];
  const { service } = ada;
  const projects = await unwrap(service.GET('/projects', { params: { query: { q: TEAM } } }));
  const known = projects.find(({ name, role }) => name === TEAM && role === 'owner');
  const project = known ?? (await unwrap(service.POST('/projects', { body: { name: TEAM } })));
  const params = { path: { project_id: project.id } };
  const members = await unwrap(service.GET('/projects/{project_id}/members', { params }));
  for (const [index, { account }] of [ada, ben, cleo].entries()) {
    const { role } = PEOPLE[index]!;
    if (!members.some(({ email }) => email === account.email))
      await unwrap(
        service.POST('/projects/{project_id}/members', { params, body: { email: account.email, role } }),
      );
  }
  const agents = await recordAgents(service, kept, project.id, facts);
  await setLimits(service, project.id, agents.get('translator')!.id);
  await setClocks(service, project.id, agents);
  return { isNew: !known, projectId: project.id, ada, ben, agents };
}

async function recordAgents(
  service: ServiceClient,
  kept: Kept,
  project_id: string,
  facts: readonly AgentFacts[],
) {
  const known = await unwrap(service.GET('/agents', { params: { query: { project_id, limit: 100 } } }));
  const agents = new Map<string, Agent>();
  for (const { name, type, description, team, config, capture } of facts) {
    const found = known.find((agent) => agent.name === name);
    const body = {
      project_id,
      name,
      type,
      description,
      labels: { team },
      config,
      ...(capture && { capture }),
    };
    const agent = found ?? (await unwrap(service.POST('/agents', { body })));
    if ('api_key' in agent && typeof agent.api_key === 'string') kept.keepKey(agent.id, agent.api_key);
    agents.set(name, agent);
  }
  return agents;
}

/** The key of an agent's program. */
export async function keyOf(kept: Kept, { service }: Person, agent: Agent): Promise<string> {
  const known = kept.key(agent.id);
  if (known) return known;
  const { key } = await unwrap(service.POST('/api-keys', { body: { name: 'demo', agent_id: agent.id } }));
  return kept.keepKey(agent.id, key);
}

/** The key with which the shop's website asks agents, as a program that is no person. */
export async function keyOfWebsite(kept: Kept, { service }: Person, project_id: string): Promise<string> {
  const known = kept.key(project_id);
  if (known) return known;
  const body = { name: "the shop's website", project_id };
  return kept.keepKey(project_id, (await unwrap(service.POST('/api-keys', { body }))).key);
}

async function setLimits(service: ServiceClient, project_id: string, translator: string): Promise<void> {
  const known = await unwrap(service.GET('/budgets', { params: { query: { project_id } } }));
  const wanted = [
    {
      name: 'translations, a day',
      agent_id: translator,
      period: 'day' as const,
      limit: { usd: TRANSLATOR_LIMIT_USD },
      warn_at: 0.7,
      on_exceeded: 'pause' as const,
    },
    { name: 'all of the company, a month', period: 'month' as const, limit: { usd: COMPANY_LIMIT_USD } },
  ];
  for (const body of wanted)
    if (!known.some(({ name }) => name === body.name))
      await unwrap(service.POST('/budgets', { body: { project_id, ...body } }));
}

async function setClocks(
  service: ServiceClient,
  project_id: string,
  agents: ReadonlyMap<string, Agent>,
): Promise<void> {
  const known = await unwrap(service.GET('/schedules', { params: { query: { project_id } } }));
  for (const { agent, body } of SCHEDULES) {
    const found = agents.get(agent);
    if (!found || known.some(({ agent_id, name }) => agent_id === found.id && name === body.name)) continue;
    const params = { path: { agent_id: found.id } };
    await unwrap(service.POST('/agents/{agent_id}/schedules', { params, body }));
  }
}
