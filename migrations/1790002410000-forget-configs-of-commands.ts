import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A command is delivered with the config that its deployment names, so that a config is stored once, and sealed there. */
export class ForgetConfigsOfCommands1790002410000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`UPDATE commands SET parameters = parameters - 'config'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `UPDATE commands AS command
       SET parameters = command.parameters || jsonb_build_object('config', version.config)
       FROM deployments AS deployment
       JOIN agent_configs AS version
         ON (version.agent_id, version.config_version) = (deployment.agent_id, deployment.config_version)
       WHERE deployment.id = command.deployment_id`,
    );
  }
}
