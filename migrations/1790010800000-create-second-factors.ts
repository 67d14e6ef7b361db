import type { MigrationInterface, QueryRunner } from 'typeorm';

const up = [
  `SET LOCAL lock_timeout = '2s'`,
  `ALTER TABLE users ADD COLUMN has_second_factor boolean NOT NULL DEFAULT false`,
  `ALTER TABLE sessions ADD COLUMN proven_at timestamptz`,

  `CREATE TABLE second_factors (
    id uuid CONSTRAINT second_factors_pkey PRIMARY KEY,
    user_id uuid NOT NULL CONSTRAINT second_factors_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
    kind text NOT NULL,
    name text NOT NULL,
    secret text,
    last_step bigint,
    credential_id text,
    public_key text,
    counter bigint,
    transports text[],
    created_at timestamptz NOT NULL DEFAULT now(),
    last_used_at timestamptz,
    expires_at timestamptz,
    CONSTRAINT second_factors_kind_check CHECK (CASE kind
      WHEN 'totp' THEN secret IS NOT NULL AND credential_id IS NULL
      WHEN 'passkey' THEN secret IS NULL AND credential_id IS NOT NULL AND public_key IS NOT NULL
        AND counter IS NOT NULL AND expires_at IS NULL
      ELSE false END)
  )`,
  `CREATE INDEX second_factors_user_id_id_idx ON second_factors (user_id, id)`,
  `CREATE INDEX second_factors_expires_at_idx ON second_factors (expires_at)`,
  `CREATE UNIQUE INDEX second_factors_credential_id_key ON second_factors (credential_id)`,

  `CREATE TABLE recovery_codes (
    user_id uuid NOT NULL CONSTRAINT recovery_codes_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
    code_hash bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT recovery_codes_pkey PRIMARY KEY (user_id, code_hash)
  )`,

  `CREATE TABLE factor_challenges (
    token_hash bytea CONSTRAINT factor_challenges_pkey PRIMARY KEY,
    user_id uuid NOT NULL CONSTRAINT factor_challenges_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
    session_id uuid CONSTRAINT factor_challenges_session_id_fkey REFERENCES sessions (id) ON DELETE CASCADE,
    purpose text NOT NULL,
    challenge text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    CONSTRAINT factor_challenges_purpose_check CHECK (purpose IN ('login', 'step_up', 'enrolment')),
    CONSTRAINT factor_challenges_session_id_check CHECK ((purpose = 'login') = (session_id IS NULL))
  )`,
  `CREATE INDEX factor_challenges_user_id_idx ON factor_challenges (user_id)`,
  `CREATE UNIQUE INDEX factor_challenges_session_id_purpose_key ON factor_challenges (session_id, purpose)`,
  `CREATE INDEX factor_challenges_expires_at_idx ON factor_challenges (expires_at)`,
];

const down = [
  `DROP TABLE factor_challenges`,
  `DROP TABLE recovery_codes`,
  `DROP TABLE second_factors`,
  `ALTER TABLE sessions DROP COLUMN proven_at`,
  `ALTER TABLE users DROP COLUMN has_second_factor`,
];

/** What people prove besides their password, and when a session's person has last done so. */
export class CreateSecondFactors1790010800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of down) await runner.query(statement);
  }
}
