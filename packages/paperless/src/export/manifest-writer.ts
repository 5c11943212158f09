import type { ExportTarget } from './files/target.ts';
import type { ManifestRecord } from './paperless/records.ts';

/** Writes records as one JSON array, a line each, and numbers those that have no number of their own. */
export class ManifestWriter {
  readonly #target: ExportTarget;
  readonly #numbers = new Map<string, number>();
  #isEmpty = true;

  constructor(target: ExportTarget) {
    this.#target = target;
  }

  async add(record: ManifestRecord): Promise<void> {
    await this.#target.appendManifest(`${this.#isEmpty ? '[\n' : ',\n'}${JSON.stringify(record)}`);
    this.#isEmpty = false;
  }

  async addAll(records: AsyncIterable<ManifestRecord>): Promise<void> {
    for await (const record of records) await this.add(record);
  }

  async addNext(model: string, fields: ManifestRecord['fields']): Promise<void> {
    const pk = (this.#numbers.get(model) ?? 0) + 1;
    this.#numbers.set(model, pk);
    await this.add({ model, pk, fields });
  }

  async end(): Promise<void> {
    await this.#target.appendManifest(this.#isEmpty ? '[]\n' : '\n]\n');
  }
}
