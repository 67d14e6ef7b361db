import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Accounts of an identity provider, each of which signs in to one account of this service. */
export class CreateIdentities1790002300000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE identities (
        issuer text NOT NULL,
        subject text NOT NULL,
        user_id uuid NOT NULL CONSTRAINT identities_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT identities_pkey PRIMARY KEY (issuer, subject)
      )`,
    );
    await runner.query(`CREATE INDEX identities_user_id_idx ON identities (user_id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE identities`);
  }
}
