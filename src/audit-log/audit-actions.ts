/** Every action that the audit log records; `docs/audit-log.md` describes each (a test compares them). */
export const AUDIT_ACTIONS = [
  'user.register',
  'user.login',
  'user.update',
  'user.invite',
  'user.reset_password',
  'identity.link',
  'session.end',
  'session.end_others',
  'password.change',
  'password.reset',
  'api_key.create',
  'api_key.rotate',
  'api_key.revoke',
  'project.read',
  'project.create',
  'project.update',
  'project.delete',
  'project.move_agent',
  'member.add',
  'member.update',
  'member.remove',
  'agent.list',
  'agent.read',
  'agent.reveal',
  'agent.create',
  'agent.update',
  'agent.deploy',
  'agent.stop',
  'agent.report',
  'agent.delete',
  'deployment.read',
  'deployment.scale',
  'deployment.restart',
  'deployment.stop',
  'deployment.kill',
  'deployment.report',
  'run.read',
  'run.create',
  'run.cancel',
  'run.retry',
  'webhook.read',
  'webhook.create',
  'webhook.update',
  'webhook.rotate_secret',
  'webhook.delete',
  'webhook.test',
  'webhook.redeliver',
  'webhook.recover',
  'webhook.switch_off',
  'route.call',
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

export const AUDIT_OUTCOMES = ['success', 'refused'] as const;

export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];

export const AUDIT_TARGETS = [
  'user',
  'project',
  'api_key',
  'agent',
  'deployment',
  'run',
  'webhook',
  'route',
] as const;

export type AuditTargetType = (typeof AUDIT_TARGETS)[number];
