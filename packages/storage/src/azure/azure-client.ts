import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { ContainerClient, type StoragePipelineOptions } from '@azure/storage-blob';
import type { AzureStorageSettings } from '../storage-settings.ts';

export interface AzureClient {
  readonly container: ContainerClient;
  readonly host: string;
  readonly close: () => void;
}

/** More would be more than the service serves one client; requests beyond wait. */
const CONNECTIONS = { keepAlive: true, maxSockets: 128, maxFreeSockets: 16 } as const;

/**
 * A client of the one container. It asks once and follows nowhere: when to try again is decided in one place for all storages, and
 * the credentials are for this host. A proxy that the environment names for other programs is not used, as for S3. Throws where
 * the connection string cannot be understood.
 */
export const openAzureClient = ({ connectionString, container }: AzureStorageSettings): AzureClient => {
  const url = new URL(makeContainer(connectionString.reveal(), container, {}).url);
  const agent = url.protocol === 'https:' ? new HttpsAgent(CONNECTIONS) : new HttpAgent(CONNECTIONS);
  const options = {
    agent,
    retryOptions: { maxTries: 1 },
    redirectOptions: { maxRetries: 0 },
  };
  return { container: makeContainer(connectionString.reveal(), container, options), host: url.host, close: () => agent.destroy() };
};

const makeContainer = (connectionString: string, container: string, options: StoragePipelineOptions): ContainerClient => {
  try {
    return new ContainerClient(connectionString, container, options);
  } catch (error) {
    // The text of the library names the part that is missing, and nothing of the secret.
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`AZURE_STORAGE_CONNECTION_STRING is invalid (${reason}). Copy it again from the Azure portal.`, { cause: error });
  }
};
