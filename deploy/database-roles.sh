#!/bin/sh
# Run once by the container of PostgreSQL, on an empty data directory. Two roles, neither a superuser: the owner changes the
# schema, and only the program that migrates knows its password; the service reads and writes rows, and can't change the
# audit log (docs/security.md).
set -eu
psql --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" \
  --set owner_password="$DATABASE_OWNER_PASSWORD" --set service_password="$DATABASE_PASSWORD" <<'SQL'
CREATE ROLE control_plane_owner LOGIN PASSWORD :'owner_password';
CREATE ROLE control_plane_service LOGIN PASSWORD :'service_password';
-- the owner hands the tables of logs and metrics, whose partitions the service makes and drops, over to it
GRANT control_plane_service TO control_plane_owner;
ALTER DATABASE control_plane OWNER TO control_plane_owner;
REVOKE ALL ON DATABASE control_plane FROM PUBLIC;
GRANT CONNECT ON DATABASE control_plane TO control_plane_service;
SQL
