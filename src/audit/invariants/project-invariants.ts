import type { Invariant } from '../invariant.types.js';

export const PROJECT_INVARIANTS: readonly Invariant[] = [
  {
    name: 'accounts-own-their-project',
    sentence: 'Each account has a personal project with its id, and is its owner.',
    statement: `SELECT account.id FROM users AS account
      WHERE NOT EXISTS (SELECT FROM projects WHERE projects.id = account.id AND is_personal AND deleted_at IS NULL)
        OR NOT EXISTS (SELECT FROM project_members AS member
          WHERE member.user_id = account.id AND member.project_id = account.id
            AND member.source = 'direct' AND member.role = 'owner')`,
  },
  {
    name: 'personal-projects-are-alone',
    sentence: 'A personal project has no other member than the person, and no group.',
    statement: `SELECT projects.id FROM projects
      WHERE is_personal AND (
        EXISTS (SELECT FROM project_members AS member WHERE member.project_id = projects.id AND user_id <> projects.id)
        OR EXISTS (SELECT FROM project_groups WHERE project_id = projects.id))`,
  },
  {
    name: 'shared-projects-have-an-owner',
    sentence: 'Each shared project has an owner who was named, though the account may be deactivated.',
    statement: `SELECT projects.id FROM projects
      WHERE NOT is_personal AND deleted_at IS NULL AND NOT EXISTS (
        SELECT FROM project_members AS member
        WHERE member.project_id = projects.id AND member.source = 'direct' AND member.role = 'owner')`,
  },
  {
    name: 'deleted-projects-have-nothing',
    sentence: 'A project that was deleted has no agents, keys, members or groups, and sends nothing.',
    statement: `SELECT projects.id FROM projects
      WHERE deleted_at IS NOT NULL AND (
        EXISTS (SELECT FROM agents WHERE agents.user_id = projects.id)
        OR EXISTS (SELECT FROM api_keys WHERE api_keys.user_id = projects.id)
        OR EXISTS (SELECT FROM project_members AS member WHERE member.project_id = projects.id)
        OR EXISTS (SELECT FROM project_groups WHERE project_id = projects.id)
        OR EXISTS (SELECT FROM webhooks WHERE webhooks.user_id = projects.id AND webhooks.deleted_at IS NULL))`,
  },
  {
    name: 'groups-give-their-role',
    sentence: 'A membership by a group has the role that the project gives to that group.',
    statement: `SELECT member.user_id AS id FROM project_members AS member
      WHERE member.source = 'group' AND NOT EXISTS (SELECT FROM project_groups AS given
        WHERE given.project_id = member.project_id AND given.group_name = member.group_name AND given.role = member.role)`,
  },
];
