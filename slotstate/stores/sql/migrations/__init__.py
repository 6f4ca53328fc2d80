"""Migrations of the SQL tables, run by Alembic."""
