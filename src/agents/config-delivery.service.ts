import { Injectable } from '@nestjs/common';
import { AgentConfigCipher, type ConfigPlace } from './agent-config-cipher.js';
import { deliveredConfig } from './config-secrets.js';

/** Opens configs for the runtimes of their agents. */
@Injectable()
export class ConfigDeliveryService {
  constructor(private readonly cipher: AgentConfigCipher) {}

  /** A config as a runtime gets it, from the text in its row. @throws UnreadableTextError */
  open(place: ConfigPlace, stored: string): string {
    return deliveredConfig(this.cipher.open(place, stored));
  }
}
