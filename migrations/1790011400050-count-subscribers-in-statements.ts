import type { MigrationInterface, QueryRunner } from 'typeorm';

const TRIGGERS = ['added', 'removed', 'truncated'].map((act) => `newsletter_subscribers_${act}`);

/** The statement that adds a subscriber counts it: an engine that spreads tables over servers has no triggers that write others. */
const up = [
  `SET LOCAL lock_timeout = '2s'`,
  ...TRIGGERS.map((trigger) => `DROP TRIGGER ${trigger} ON newsletter_subscribers`),
  'DROP FUNCTION count_newsletter_subscribers()',
];

const down = [
  `CREATE FUNCTION count_newsletter_subscribers() RETURNS trigger LANGUAGE plpgsql AS $$
   DECLARE
     change integer;
   BEGIN
     IF TG_OP = 'TRUNCATE' THEN
       UPDATE newsletter_size SET subscribers = 0;
       RETURN NULL;
     END IF;
     SELECT CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END INTO change FROM changed;
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
];

export class CountSubscribersInStatements1790011400050 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of down) await runner.query(statement);
  }
}
