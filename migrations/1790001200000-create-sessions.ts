import type { MigrationInterface, QueryRunner } from 'typeorm';

const up = [
  `CREATE TABLE sessions (
    id uuid CONSTRAINT sessions_pkey PRIMARY KEY,
    user_id uuid NOT NULL CONSTRAINT sessions_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
    generation integer NOT NULL DEFAULT 1,
    address text,
    user_agent text,
    created_at timestamptz NOT NULL DEFAULT now(),
    last_used_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
  )`,
  `CREATE INDEX sessions_user_id_id_idx ON sessions (user_id, id)`,
  `CREATE INDEX sessions_expires_at_idx ON sessions (expires_at)`,

  // One link for each account: a new one replaces the one before.
  `CREATE TABLE password_links (
    user_id uuid CONSTRAINT password_links_pkey PRIMARY KEY
      CONSTRAINT password_links_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
    token_hash bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
  )`,
  `CREATE UNIQUE INDEX password_links_token_hash_key ON password_links (token_hash)`,
  `CREATE INDEX password_links_expires_at_idx ON password_links (expires_at)`,

  // An invited account has no password yet.
  `ALTER TABLE users ALTER COLUMN password_hash DROP NOT NULL`,

  // The application makes the canonical form; PostgreSQL's lower case differs from it in a few letters.
  `DROP INDEX users_email_key`,
  `UPDATE users SET email = lower(normalize(email, NFKC))`,
  `CREATE UNIQUE INDEX users_email_key ON users (email)`,
];

const down = [
  `DROP INDEX users_email_key`,
  `CREATE UNIQUE INDEX users_email_key ON users (lower(email))`,
  `UPDATE users SET password_hash = '' WHERE password_hash IS NULL`,
  `ALTER TABLE users ALTER COLUMN password_hash SET NOT NULL`,
  `DROP TABLE password_links`,
  `DROP TABLE sessions`,
];

/** Sessions that can be ended, one-time links for passwords, and one canonical form of an address. */
export class CreateSessions1790001200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of down) await runner.query(statement);
  }
}
