/** The roles of the embedded server; on an external one `rapport_app` is known by its name. */

/** Owns the cluster; creates roles and the database, and is never used by the app. The name of 1.0.0's only role. */
export const SUPERUSER = 'rapport';

/** Owns the database and its tables: runs migrations, backups and restores. Not a superuser. */
export const MIGRATIONS_ROLE = 'rapport_migrations';

/** The app's, with the rights of migrations/grants.sql. */
export const APP_ROLE = 'rapport_app';
