import { type Project, unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../command.js';
import { ownProjects } from '../find-project.js';
import { printRecord } from '../output/record.js';

export const command = defineCommand({
  examples: [
    { command: 'whoami', explanation: 'the account that commands run as' },
    { command: 'whoami --output json', explanation: 'the same, for a script' },
  ],
  read: () => ({}),
  async run(_options, context) {
    const user = await unwrap(context.service().GET('/auth/me'));
    const projects = await ownProjects(context);
    printRecord(context, { ...user, projects }, [
      ['Email', user.email],
      ['Name', user.name],
      ['Id', user.id],
      ['Password link of an operator', user.password_reset_at],
      ['Operator', user.is_admin ? 'yes' : 'no'],
      ['Second factor', user.has_second_factor ? 'yes' : 'no'],
      ['Project', projects.length > 1 ? projectText(projects, await context.projectId()) : null],
    ]);
  },
});

/** The project in use and the role there; all of them if none is. */
function projectText(projects: readonly Project[], inUse: string | undefined): string {
  const named = projects.filter(({ id }) => inUse === undefined || id === inUse);
  if (named.length === 0) return `${inUse!}, which is none of yours: "svc projects use all" forgets it`;
  return named.map(({ name, role }) => `${name} (${role})`).join('\n');
}
