import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { z } from 'zod';

const ANSWER_WITHIN_MS = 60_000;

const message = z.looseObject({ id: z.int().optional(), result: z.unknown().optional(), error: z.unknown().optional() });
const toolList = z.looseObject({ tools: z.array(z.looseObject({ name: z.string() })) });
const toolResult = z.looseObject({
  isError: z.boolean().optional(),
  content: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })),
});

/** What a tool answers: its first text, and whether it is an error. */
export interface ToolAnswer {
  readonly isError: boolean;
  readonly text: string;
}

/** A program whose tools are called over its standard input and output, one JSON message a line (Model Context Protocol). */
export class McpProgram implements AsyncDisposable {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #waiting = new Map<number, (answer: z.infer<typeof message>) => void>();
  #last = 0;

  private constructor(child: ChildProcessWithoutNullStreams) {
    this.#child = child;
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (!line.startsWith('{')) return;
      const answer = message.parse(JSON.parse(line));
      if (answer.id !== undefined) this.#waiting.get(answer.id)?.(answer);
    });
    child.stderr.resume();
  }

  static async start(file: string, args: readonly string[]): Promise<McpProgram> {
    const program = new McpProgram(spawn(process.execPath, [file, ...args], { env: { PATH: process.env['PATH'] } }));
    await program.#ask('initialize', { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'test', version: '1' } });
    program.#send({ method: 'notifications/initialized' });
    return program;
  }

  #send(body: object): void {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...body })}\n`);
  }

  async #ask(method: string, params: object): Promise<unknown> {
    this.#last += 1;
    const id = this.#last;
    const { promise, resolve, reject } = Promise.withResolvers<z.infer<typeof message>>();
    const timer = setTimeout(() => reject(new Error(`${method} was not answered`)), ANSWER_WITHIN_MS);
    this.#waiting.set(id, resolve);
    this.#send({ id, method, params });
    try {
      const { error, result } = await promise;
      if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
      return result;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(id);
    }
  }

  async tools(): Promise<string[]> {
    return toolList.parse(await this.#ask('tools/list', {})).tools.map(({ name }) => name);
  }

  async call(name: string, args: object): Promise<ToolAnswer> {
    const { isError = false, content } = toolResult.parse(await this.#ask('tools/call', { name, arguments: args }));
    return { isError, text: content[0]?.text ?? '' };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.kill();
    await ended;
  }
}
