import type { MigrationInterface, QueryRunner } from 'typeorm';

const up = [
  `CREATE TABLE newsletter_subscribers (
    id uuid CONSTRAINT newsletter_subscribers_pkey PRIMARY KEY,
    email text NOT NULL,
    source text,
    created_at timestamptz NOT NULL DEFAULT now()
  )`,
  // Addresses are kept as typed and compared case-insensitively.
  `CREATE UNIQUE INDEX newsletter_subscribers_email_key ON newsletter_subscribers (lower(email))`,

  // Anybody may ask how many there are, so the answer is kept: counting rows would cost more with each of them.
  `CREATE TABLE newsletter_size (
    is_only_row boolean DEFAULT true CONSTRAINT newsletter_size_pkey PRIMARY KEY
      CONSTRAINT newsletter_size_is_only_row_check CHECK (is_only_row),
    subscribers integer NOT NULL
  )`,
  `INSERT INTO newsletter_size (subscribers) SELECT count(*) FROM newsletter_subscribers`,
  // A trigger, so that it stays true when somebody removes an address by hand.
  `CREATE FUNCTION count_newsletter_subscribers() RETURNS trigger LANGUAGE plpgsql AS $$
   DECLARE
     change integer;
   BEGIN
     IF TG_OP = 'TRUNCATE' THEN
       UPDATE newsletter_size SET subscribers = 0;
       RETURN NULL;
     END IF;
     SELECT CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END INTO change FROM changed;
     -- An address that was there already must not wait for those that are new.
     IF change <> 0 THEN
       UPDATE newsletter_size SET subscribers = subscribers + change;
     END IF;
     RETURN NULL;
   END $$`,
  `CREATE TRIGGER newsletter_subscribers_added AFTER INSERT ON newsletter_subscribers
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_newsletter_subscribers()`,
  `CREATE TRIGGER newsletter_subscribers_removed AFTER DELETE ON newsletter_subscribers
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_newsletter_subscribers()`,
  `CREATE TRIGGER newsletter_subscribers_truncated AFTER TRUNCATE ON newsletter_subscribers
    FOR EACH STATEMENT EXECUTE FUNCTION count_newsletter_subscribers()`,

  `CREATE TABLE leads (
    id uuid CONSTRAINT leads_pkey PRIMARY KEY,
    email text NOT NULL,
    name text,
    company text,
    message text,
    source text,
    created_at timestamptz NOT NULL DEFAULT now()
  )`,
];

const down = [
  'DROP TABLE leads',
  'DROP TABLE newsletter_subscribers',
  'DROP FUNCTION count_newsletter_subscribers()',
  'DROP TABLE newsletter_size',
];

export class CreateNewsletterAndLeads1790000200000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of down) await queryRunner.query(statement);
  }
}
