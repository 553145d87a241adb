-- Run once by the container of the database, as its superuser. Row-level security applies to the user that it creates.
\set password `cat /run/secrets/database_password`
CREATE ROLE waymeet LOGIN PASSWORD :'password';
GRANT CREATE, TEMPORARY ON DATABASE waymeet TO waymeet;
CREATE EXTENSION vector;
