/** PostgreSQL is not available. `message` is one or two plain sentences that tell the operator what to do. */
export class PostgresUnavailable extends Error {
  override name = 'PostgresUnavailable';
}

/** Another process uses this data directory. `message` says which one and since when. */
export class DataDirInUse extends Error {
  override name = 'DataDirInUse';
}

const causes: readonly [RegExp, (where: string) => string][] = [
  [
    /could not look up effective user ID|user does not exist/i,
    () =>
      'PostgreSQL needs the current user to have an entry in /etc/passwd. ' +
      'Add one (for example: echo "rapport:x:$(id -u):$(id -g)::/tmp:/bin/sh" >> /etc/passwd), ' +
      'run as another user, or set DATABASE_URL to a PostgreSQL server of your own.',
  ],
  [
    /No space left on device|Disk quota exceeded|ENOSPC|EDQUOT/i,
    (where) => `The disk that holds ${where} is full. Free some space and start again; nothing acknowledged is lost.`,
  ],
  [
    /Read-only file system|EROFS/i,
    (where) => `${where} lies on a read-only file system. Set RAPPORT_DATA_DIR to a folder that can be written to.`,
  ],
  [
    /database files are incompatible with server|was initialized by PostgreSQL version/i,
    (where) =>
      `The database in ${where} was made by another version of PostgreSQL. ` +
      'Restore a backup into a new data directory (npm run restore), or start the version that made it.',
  ],
  [
    /invalid primary checkpoint record|could not locate a valid checkpoint|is not a database cluster directory|could not locate required checkpoint|could not open file "(global\/|PG_VERSION|pg_filenode)|incorrect checksum in control file|could not read file "global\/pg_control"|invalid data in file|WAL ends before/i,
    (where) =>
      `The database in ${where} is damaged and PostgreSQL cannot start it. ` +
      'Keep a copy of that folder, then restore the last backup into a new data directory (npm run restore).',
  ],
  [
    /could not create shared memory segment|could not resize shared memory|Cannot allocate memory|could not map anonymous shared memory/i,
    () =>
      'There is not enough shared memory for PostgreSQL. Give the machine or the container more memory and try again.',
  ],
  [
    /error while loading shared libraries|Exec format error|ENOEXEC|GLIBC_|Symbol not found/i,
    () =>
      'The bundled PostgreSQL does not run on this system (its libraries do not fit). ' +
      'Set DATABASE_URL to a PostgreSQL server, 15 or later.',
  ],
  [
    /Permission denied|EACCES|EPERM|mkdir '|has wrong ownership|has invalid permissions/i,
    (where) =>
      `PostgreSQL may not read or write ${where}. Give that folder to the user who starts Rapport, ` +
      'or set RAPPORT_DATA_DIR to another one.',
  ],
];

/**
 * Explain an error message that PostgreSQL (or the file system) gave while working on `where`. The original text
 * follows the sentence.
 */
export function explainFailure(output: string, where: string): PostgresUnavailable {
  const words = output.trim().split('\n').slice(-8).join('\n');
  for (const [pattern, sentence] of causes) {
    if (pattern.test(output)) return new PostgresUnavailable(`${sentence(where)}${words === '' ? '' : `\n${words}`}`);
  }
  return new PostgresUnavailable(`PostgreSQL could not start on ${where}.${words === '' ? '' : `\n${words}`}`);
}

/** Explain a failed file operation on `where`. */
export function explainFileError(error: unknown, where: string): PostgresUnavailable {
  return explainFailure(error instanceof Error ? error.message : String(error), where);
}
