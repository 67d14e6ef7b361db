import { Injectable } from '@nestjs/common';
import { selectRows } from '../database/entity-rows.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { SwitchEntity } from './switch.entity.js';
import type { SwitchName, TimedSetting } from './switch.types.js';

@Injectable()
export class SwitchesRepository {
  /** The switches that are on. The database computes their remaining time: clocks of instances may differ. */
  listOn(connection: Connection): Promise<TimedSetting[]> {
    return selectRows(connection, SwitchEntity, 'setting')
      .addSelect('(extract(epoch FROM setting.endsAt - clock_timestamp()) * 1000)::float8', 'leftMs')
      .where('(setting.endsAt IS NULL OR setting.endsAt > clock_timestamp())')
      .getRawMany<TimedSetting>();
  }

  /** Turns a switch on, or changes it. */
  async put(tx: Transaction, setting: Omit<SwitchEntity, 'setAt'>): Promise<void> {
    await tx
      .createQueryBuilder()
      .insert()
      .into(SwitchEntity)
      .values({ ...setting, setAt: () => 'now()' })
      .orUpdate(['value', 'ends_at', 'set_by', 'set_at'], ['name'])
      .execute();
  }

  /** @returns false if there was no row */
  async delete(tx: Transaction, name: SwitchName): Promise<boolean> {
    const { affected } = await tx.getRepository(SwitchEntity).delete({ name });
    return affected === 1;
  }
}
