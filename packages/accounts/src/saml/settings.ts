export interface SamlSettings {
  /** A URL, or the path of a file. */
  readonly metadata: string;
  readonly entityId: string;
  readonly acsUrl: string;
  readonly certificateFile: string | undefined;
  readonly privateKeyFile: string | undefined;
  /** Names of attributes; what is left out is found under its usual names. */
  readonly attributes: {
    readonly username?: string | undefined;
    readonly email?: string | undefined;
    readonly name?: string | undefined;
    readonly groups?: string | undefined;
  };
}

/** How far the clocks of this machine and of the identity provider may be apart. */
export const CLOCK_SKEW_MS = 60_000;
