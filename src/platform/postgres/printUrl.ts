import { readConfig } from '../config.ts';
import { findHolder } from './lock.ts';

// `npm run --silent db:url`: prints only the URL on standard output, so that it can be used in $( ).
const { databaseUrl, dataDir } = readConfig(process.env);
const url = databaseUrl ?? findHolder(dataDir)?.url;
if (url === undefined) {
  console.error(
    `No database is running on ${dataDir}. Start it with npm start, or set RAPPORT_DATA_DIR or DATABASE_URL.`,
  );
  process.exitCode = 1;
} else {
  console.log(url);
}
