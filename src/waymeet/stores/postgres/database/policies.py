"""Row-level security: a transaction uses rows of the collection that it has named only.

Every statement has its collection as a condition. The policies are a second check, on the server: a statement without
the condition, or with a wrong one, finds and changes nothing of other collections. They hold for the owner of the
tables, too, but not for superusers and users with BYPASSRLS.
"""

SET_COLLECTION = "SET LOCAL waymeet.collection = %s;"
"""Names the collection of a transaction by its number. It is forgotten at the end of the transaction."""
SET_NAME = "SELECT set_config('waymeet.collection_name', %s, true);"
"""Names the collection of a transaction that looks for its number, or adds it."""
FIND_COLLECTION = f"{SET_NAME} SELECT id FROM collections WHERE name = %s"  # noqa: S608 - our own constant
"""Looks for the number of a collection. Its name is given twice."""

_NUMBER = "nullif(current_setting(''waymeet.collection'', true), '''')::integer"
_NAME = "nullif(current_setting(''waymeet.collection_name'', true), '''')"
_TABLES = """
SELECT c.oid::regclass AS name, c.relname, c.relispartition, c.relforcerowsecurity FROM pg_class c
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
"""

CREATE_POLICIES = f"""
DO $$ DECLARE tables record; BEGIN
    FOR tables IN {_TABLES} AND NOT c.relrowsecurity AND (c.relname = 'collections' OR EXISTS (
        SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'collection_id' AND NOT a.attisdropped))
    LOOP
        EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', tables.name);
        IF tables.relname = 'collections' THEN
            EXECUTE format('CREATE POLICY own_collection ON %s USING (id = {_NUMBER} OR name = {_NAME})', tables.name);
        ELSIF NOT tables.relispartition THEN
            EXECUTE format('CREATE POLICY own_collection ON %s USING (collection_id = {_NUMBER})', tables.name);
        END IF;
    END LOOP;
END $$;
"""
"""Policies of all tables that have none yet. A partition gets none, so that only a superuser can use it directly.

The planner compares the setting with the collection of the statement once, not with that of each row.
"""

_FORCE = f"""
DO $$ DECLARE tables record; BEGIN
    FOR tables IN {_TABLES} AND c.relrowsecurity AND c.relforcerowsecurity <> {{is_forced}} LOOP
        EXECUTE format('ALTER TABLE %s {{action}} ROW LEVEL SECURITY', tables.name);
    END LOOP;
END $$;
"""
APPLY_TO_OWNER = _FORCE.format(action="FORCE", is_forced="true")
"""Lets policies hold for the owner of the tables."""
EXEMPT_OWNER = _FORCE.format(action="NO FORCE", is_forced="false")
"""Lets the owner of the tables read all collections, for an upgrade."""
