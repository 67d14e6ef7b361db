/**
 * SQL condition that `project` is that of an agent, for lists of the agent's rows. Without it, the index of these rows is
 * read once for each project of the reader.
 *
 * @param agentId SQL for its id
 */
export const OF_AGENT = (agentId: string) =>
  `project.id = (SELECT of_agent.user_id FROM agents AS of_agent WHERE of_agent.id = ${agentId})`;
