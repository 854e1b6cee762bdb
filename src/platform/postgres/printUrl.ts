import { resolve } from 'node:path';
import { findHolder } from './lock.ts';

// `npm run db:url`: nothing but the URL on standard output, so that it can stand in $( ).
const dataDir = resolve(process.env['RAPPORT_DATA_DIR'] ?? 'data');
const url = process.env['DATABASE_URL'] ?? findHolder(dataDir)?.url;
if (url === undefined || url === '') {
  console.error(
    `No database is running on ${dataDir}. Start it with npm start, or set RAPPORT_DATA_DIR or DATABASE_URL.`,
  );
  process.exitCode = 1;
} else {
  console.log(url);
}
